import { strict as assert } from "node:assert";
import { test } from "node:test";
import type { ChangedFile, ComparedFile, ContextComparison, Iterations } from "../src/api/types.gen.ts";
import { asChanged, comparisonWords, remarksOn, tagsOf, upstreamWords } from "../src/state/compared.ts";
import { Marks } from "../src/state/marks.ts";
import { findIn } from "../src/state/seek.ts";
import { nameOf, sessionWords, Stream } from "../src/state/stream.ts";
import { buildTree } from "../src/state/tree.ts";
import { file } from "./samples.ts";

function compared(path: string, more: Partial<ComparedFile> = {}): ComparedFile {
  return {
    fileId: `id-${path}`, path, fromFileId: `id-${path}`, fromPath: path, state: "changed", renamed: false, modeChanged: false,
    separated: true, own: false, coarse: false, additions: 2, deletions: 1, upstreamAdditions: 0, upstreamDeletions: 0, undone: 0,
    reason: null, ...more,
  };
}

const text = (size: number) => ({ available: true, size, encoding: "utf-8" }) as const;
const versions = (earlier?: ChangedFile, later?: ChangedFile) => ({ earlier, later });
const said = (one: ComparedFile, changed: ChangedFile): string => remarksOn(one, changed).map((each) => each.text).join(" ");

test("a file is shown from its earlier after side to its later one", () => {
  const shown = asChanged(compared("a"), versions(file("a", { after: text(1) }), file("a", { after: text(2), fingerprint: "later" })));

  assert.deepEqual([shown.before?.size, shown.after?.size, shown.status, shown.fingerprint], [1, 2, "M", "later"]);
  assert.deepEqual([shown.additions, shown.deletions, shown.patch.available], [2, 1, true]);
});

test("a file that only one lists is shown as what it changes itself, or as taken back", () => {
  const mine = file("a", { before: text(1), after: text(2) });
  const fresh = asChanged(compared("a", { state: "new", fromFileId: null, fromPath: null }), versions(undefined, mine));
  assert.deepEqual([fresh.before?.size, fresh.after?.size], [1, 2]);
  const gone = asChanged(compared("a", { state: "gone" }), versions(mine));
  assert.deepEqual([gone.before?.size, gone.after?.size, gone.fingerprint], [2, 1, null]);
  const added = file("a", { status: "A", before: null, oldMode: null });
  assert.equal(asChanged(compared("a", { state: "gone" }), versions(added)).status, "D");
  assert.equal(asChanged(compared("a", { state: "new", fromFileId: null }), versions(undefined, added)).status, "A");
});

test("renames, kinds and modes are the author's, not the base's", () => {
  const [plain, runs] = [file("a"), file("a", { newMode: "100755" })];
  const moved = asChanged(compared("b", { renamed: true, fromPath: "a" }), versions(plain, file("b")));
  assert.deepEqual([moved.status, moved.oldPath], ["R", "a"]);
  assert.ok(!said(compared("a"), asChanged(compared("a"), versions(plain, runs))).includes("executable"));
  const one = compared("a", { modeChanged: true });
  assert.ok(said(one, asChanged(one, versions(plain, runs))).includes("Made executable"));
  const link = asChanged(one, versions(plain, file("a", { newMode: "120000" })));
  assert.equal(link.status, "T");
});

test("what cannot be shown or told says why", () => {
  const reasoned = (reason: ComparedFile["reason"], more: Partial<ComparedFile> = {}): string => {
    const one = compared("a", { reason, additions: 0, deletions: 0, ...more });
    return said(one, asChanged(one, versions(file("a"), file("a"))));
  };
  assert.ok(reasoned("binary").includes("Binary file"));
  assert.ok(reasoned("budget").includes("size limit was used up"));
  assert.ok(reasoned("not-captured").includes("were not captured"));
  assert.ok(reasoned("secret", { state: "unknown" }).includes("does not tell"));
  assert.ok(reasoned(null, { additions: 1, separated: false }).includes("could not be told apart"));
  assert.ok(reasoned(null, { additions: 1, undone: 2 }).includes("left out 2 lines that the base had added"));
  assert.ok(reasoned(null, { additions: 1, coarse: true }).includes("Compared roughly"));
  assert.ok(reasoned("not-captured", { state: "gone", own: true }).startsWith("No longer among the changes"));
  assert.equal(reasoned(null, { additions: 1 }), "");
});

test("tags tell upstream's part, and what came and went", () => {
  const texts = (more: Partial<ComparedFile>): string[] => tagsOf(compared("a", more)).map((tag) => tag.text);
  assert.deepEqual(texts({ upstreamAdditions: 1_200, upstreamDeletions: 34 }), ["1,234 upstream"]);
  assert.deepEqual(texts({ state: "upstream", upstreamAdditions: 3 }), ["only upstream changed"]);
  assert.deepEqual([texts({ state: "new" }), texts({ state: "gone" }), texts({})], [["new since"], ["no longer changed"], []]);
});

test("the longest line is known when the lines are", () => {
  let most = 0;
  const shown = asChanged(compared("a"), versions(file("a"), file("a")), null, () => most);
  assert.equal(shown.rows?.maxColumns, 0);
  most = 240;
  assert.equal(shown.rows?.maxColumns, 240);
});

function result(more: Partial<ContextComparison>): ContextComparison {
  return { from: "a", to: "b", scope: "all", sameBase: false, authorChange: true, pureRebase: false, coarse: false, counts: {}, files: [], ...more };
}

test("a comparison is one sentence", () => {
  assert.equal(comparisonWords(result({ pureRebase: true, authorChange: false })), "Rebased; nothing of the author's changed.");
  assert.equal(comparisonWords(result({ sameBase: true, authorChange: false })), "Nothing changed between these two.");
  assert.equal(comparisonWords(result({ sameBase: true, counts: { changed: 1, new: 2 } })), "1 file changed, 2 new.");
  assert.equal(comparisonWords(result({ counts: { gone: 1, unknown: 2 }, authorChange: null })),
    "1 no longer changed, 2 unclear. Rebased in between. Whether the author changed anything, what is stored does not tell.");
});

test("upstream's part is counted over all files", () => {
  const files = [compared("a", { state: "upstream", upstreamAdditions: 3 }), compared("b", { upstreamDeletions: 1 }), compared("c")];
  assert.equal(upstreamWords(result({ files })), "1 file, 4 lines");
  assert.equal(upstreamWords(result({ files: [compared("c")] })), "");
});

test("removed lines are found here, and everything of a file that is gone", () => {
  const patch = "@@ -1,3 +1,3 @@\n same needle\n-old needle, needle\n+new needle\n";
  const how = { text: "needle", case: false, word: false, regex: false };
  const places = (asked: Partial<typeof how>, whole: boolean): string[] =>
    findIn(file("needle.py"), patch, { ...how, ...asked }, whole, () => true).map(({ side, line, start }) => `${side} ${line} ${start}`);

  assert.deepEqual(places({}, false), ["old 2 4", "old 2 12"]);
  assert.deepEqual(places({}, true), ["null null 0", "new 1 5", "old 2 4", "old 2 12", "new 2 4"]);
  assert.deepEqual(places({ text: "NEEDLE", case: true }, true), []);
  assert.deepEqual(places({ text: "need", word: true }, false), []);
  assert.deepEqual(places({ text: "o.d n", regex: true }, false), ["old 2 0"]);
  assert.deepEqual(places({ text: "(", regex: true }, false), []);
  assert.deepEqual(places({ text: "needle," }, false), ["old 2 4"]);
});

test("what is hidden is not found", () => {
  const hits = findIn(file("a"), "@@ -1,1 +1,0 @@\n-needle\n", { text: "needle", case: false, word: false, regex: false }, false, () => false);
  assert.deepEqual(hits, []);
});

function stream(here: string, since: string | null): Stream {
  const one = (contextId: string, number: number): Iterations["iterations"][number] =>
    ({ contextId, number, collectedAt: 0, storedAt: 0, head: null, latest: number === 3, scopes: [], sessions: [], verdicts: [] });
  const found = new Stream(here);
  const iterations = [one("a", 1), one("b", 2), one("c", 3)];
  found.list.value = { contextId: here, iterations, default: since ? { from: since, to: "c" } : null };
  return found;
}

test("what is compared unless asked otherwise starts where the last review ended", () => {
  assert.equal(stream("c", "a").before?.contextId, "a");
  assert.equal(stream("c", null).before?.contextId, "b");
  assert.equal(stream("a", null).before, undefined);
  assert.equal(stream("b", "b").before?.contextId, "a");
  assert.deepEqual([nameOf(stream("c", null).find("b")), nameOf(undefined)], ["iteration 2", "another observation"]);
  assert.equal(sessionWords({ harness: "claude", sessionId: "7", name: null }), "claude · 7");
});

test("a file that cannot be marked does not keep its folder from being done", () => {
  const marks = new Marks("c", "all");
  const tree = buildTree([file("src/a"), file("src/gone", { fingerprint: null })])[0];
  assert.equal(marks.tickOf(tree), "none");
  marks.seen.value = new Map([["id-src/a", { fileId: "id-src/a", fingerprint: "f", markedAt: 0, carried: false }]]);
  assert.equal(marks.tickOf(tree), "all");
});
