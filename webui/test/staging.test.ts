import { strict as assert } from "node:assert";
import { test } from "node:test";
import { stagingOf } from "../src/text/staging.ts";
import { file } from "./samples.ts";

test("a change is staged, partly, not at all, or not even tracked; what is committed is none of these", () => {
  const at = (indexStatus: string | null, worktreeStatus: string | null, more = {}): string | null =>
    stagingOf(file("a", { indexStatus, worktreeStatus, ...more }));
  assert.deepEqual(
    [at("M", null), at("A", "M"), at(null, "M"), at("?", "?"), at(null, "?"), at(null, null)],
    ["staged", "partly staged", "unstaged", "untracked", "untracked", null],
  );
  assert.equal(at("U", "U", { conflict: "UU" }), null);
});
