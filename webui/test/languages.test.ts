import { strict as assert } from "node:assert";
import { test } from "node:test";
import { languagesOf } from "../src/highlight/languages.ts";

test("a file called like an object's own method has guesses that are words", () => {
  for (const path of ["constructor", "src/toString", "a.valueOf", "x/hasOwnProperty.ts", "__proto__"]) {
    assert.ok(languagesOf(path).every((guess) => typeof guess === "string"), path);
  }
});

test("names and endings lead to their language first", () => {
  assert.equal(languagesOf("src/Makefile")[0], "make");
  assert.equal(languagesOf("a/b.mjs")[0], "js");
});
