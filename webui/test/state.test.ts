import { strict as assert } from "node:assert";
import { test } from "node:test";
import { addressOf } from "../src/api/client.ts";
import { actionOf, KEYS } from "../src/keys.ts";
import { actionsIn, GROUPS, KEY_WORDS } from "../src/keywords.ts";
import { baselineMark, baselineWords } from "../src/state/baseline.ts";
import { grouped } from "../src/state/catalog.ts";
import { noiseWords } from "../src/state/marks.ts";
import { noticesOf, WITHHELD } from "../src/state/notices.ts";
import { checked } from "../src/state/prefs.ts";
import { foldedAtFirst, linesOf } from "../src/state/reading.ts";
import { isPlain } from "../src/state/review.ts";
import { formatRoute, NO_FILTERS, parseRoute, type Route } from "../src/state/route.ts";
import { buildTree, filesInOrder, matches } from "../src/state/tree.ts";
import { rowOfFile, treeRows } from "../src/state/treerows.ts";
import { commitTag } from "../src/text/format.ts";
import { file, observation, summary } from "./samples.ts";

const PLAIN = { ctrlKey: false, metaKey: false, altKey: false };
const texts = (...of: Parameters<typeof noticesOf>): string[] => noticesOf(...of).map(({ text }) => text);

test("lone folders are joined, and the diff has the order of the tree", () => {
  const paths = ["a/b/c/one.ts", "a/b/c/two.ts", "a/x.ts", "a-z.ts", "b/only/deep.ts"];
  const tree = buildTree(paths.map((path) => file(path)));

  assert.deepEqual(treeRows(tree, new Set()).map(({ node, level }) => `${level} ${node.name}`), [
    "1 a", "2 b/c", "3 one.ts", "3 two.ts", "2 x.ts", "1 a-z.ts", "1 b/only", "2 deep.ts",
  ]);
  assert.deepEqual(filesInOrder(tree).map(({ path }) => path), paths);
});

test("files that a series of patches scatters over a folder come together", () => {
  const tree = buildTree(["a/1", "b/1", "a/2"].map((path) => file(path)));
  assert.deepEqual(filesInOrder(tree).map(({ path }) => path), ["a/1", "a/2", "b/1"]);
});

test("one path in two commits of a series is two files under two commits", () => {
  const tree = buildTree([file("a", { id: "1", commit: "aaaa" }), file("a", { id: "2", commit: "bbbb" })]);
  assert.deepEqual(treeRows(tree, new Set()).map(({ node }) => node.name), ["commit aaaa", "a", "commit bbbb", "a"]);
});

test("a commit keeps its whole name and its row, so two that begin alike stay two", () => {
  const tree = buildTree([file("a/b", { id: "1", commit: "Add support for x" }), file("a/b", { id: "2", commit: "Add support for y" })]);
  assert.deepEqual(treeRows(tree, new Set()).map(({ node }) => node.name), ["commit Add support for x", "a", "b", "commit Add support for y", "a", "b"]);
  assert.deepEqual(["c0d9756227 Let it be", "c0d9756227", "Short", "Add support for a thing"].map(commitTag), ["c0d9756227", "c0d9756227", "Short", "Add support for…"]);
});

test("a nested repository is one entry with its slash, and odd paths lose nothing", () => {
  const paths = ["vendor/lib/", "/lead", "a//b", ""];
  const tree = buildTree(paths.map((path) => file(path)));
  assert.deepEqual(filesInOrder(tree).map(({ path }) => path).sort(), [...paths].sort());
  assert.ok(treeRows(tree, new Set()).some(({ node }) => node.name === "lib/"));
});

test("a closed folder keeps its children to itself, and rows know their place", () => {
  const rows = treeRows(buildTree([file("a/1"), file("a/2"), file("b")]), new Set(["a/"]));
  assert.deepEqual(rows.map(({ node, position, siblings, parent }) => [node.name, position, siblings, parent]),
    [["a", 1, 2, -1], ["b", 2, 2, -1]]);
});

test("a file is shown by its own row, or by the closed folder that keeps it", () => {
  const tree = buildTree([file("a/b/1"), file("a/2"), file("c")]);
  const shown = (id: string | null, ...closed: string[]): number => rowOfFile(treeRows(tree, new Set(closed)), id);
  assert.deepEqual([shown("id-a/b/1"), shown("id-a/b/1", "a/b/"), shown("id-a/b/1", "a/", "a/b/"), shown("id-c", "a/")], [2, 1, 0, 1]);
  assert.deepEqual([shown("gone"), shown(null)], [-1, -1]);
});

test("each word of a filter must match the path or the old path; ! excludes", () => {
  const moved = file("src/new.ts", { oldPath: "src/OLD.ts" });
  assert.ok(matches(moved, "") && matches(moved, "SRC old") && matches(moved, "new !test"));
  assert.ok(!matches(moved, "src other") && !matches(moved, "!new"));
});

test("a file that its lines say all about has no notice, and every other one has", () => {
  const patch = { available: false, bytes: 0, reason: "secret" as const };
  const odd = [
    file("x", { oldMode: "100755" }), file("x", { newMode: "120000" }), file("x", { oldMode: "120000", newMode: null }),
    file("x", { damage: "cut off" }), file("x", { conflict: "UU" }), file("x", { patch, rows: null }), file("x", { rows: null }),
    file("x", { repository: true }), file("x", { binary: true, rows: null, patch: { ...patch, reason: "binary" } }),
    file("x", { submodule: { oldCommit: "a", newCommit: "b", modifiedContent: false, untrackedContent: false } }),
  ];
  for (const one of [file("x"), file("x", { oldMode: null, status: "A" }), file("x", { newMode: null, status: "D" })]) {
    assert.ok(isPlain(one) && !noticesOf(one).length);
  }
  for (const one of odd) assert.ok(!isPlain(one) && noticesOf(one).length, JSON.stringify(one));
});

test("every reason for withholding has words, and a notice uses them", () => {
  for (const [reason, words] of Object.entries(WITHHELD)) {
    if (reason === "binary") continue;
    const withheld = file("x", { patch: { available: false, bytes: 0, reason: reason as "secret" }, rows: null });
    assert.ok(texts(withheld).some((text) => text.includes(words)), reason);
  }
});

test("what happened besides lines is said", () => {
  const none = { rows: { hunks: 0, unified: 0, split: 0, maxColumns: 0 } };
  const cases: ReadonlyArray<readonly [Parameters<typeof file>[1], string]> = [
    [{ newMode: "100755" }, "Made executable (100644 → 100755)."],
    [{ oldMode: "100755" }, "No longer executable (100755 → 100644)."],
    [{ newMode: "120000" }, "Was a file, is now a symbolic link (100644 → 120000)."],
    [{ oldMode: "120000", newMode: "120000" }, "Symbolic link; its content is the path that it points to."],
    [{ oldPath: "y", status: "R", ...none }, "Renamed without a change of content."],
    [{ status: "A", ...none }, "The new file is empty."],
    [{ binary: true, patch: { available: false, bytes: 0, reason: "binary" } }, "Binary file, 9 bytes → 10 bytes."],
    [{ binary: true, patch: { available: false, bytes: 0, reason: "binary" }, before: null, after: { available: false, size: 3_000_000, encoding: "utf-8", reason: "too-large" } },
      "Binary file, 3.0 MB; not stored, because it is over the size limit of one file."],
    [{ conflict: "DU" }, "Unresolved conflict: deleted by us, changed by them."],
    [{ repository: true, patch: { available: false, bytes: 0, reason: "submodule" } },
      "An untracked repository inside this checkout; its files are not listed."],
    [{ damage: "bad\u202E" }, "This part of the patch is damaged: badU+202E"],
  ];
  for (const [more, words] of cases) assert.ok(texts(file("x", more)).includes(words), words);
  assert.deepEqual(texts(file("x")), []);
});

test("a submodule says where it moved and what it holds", () => {
  const submodule = { oldCommit: "1".repeat(40), newCommit: "2".repeat(40), modifiedContent: true, untrackedContent: false };
  const patch = { available: false, bytes: 0, reason: "submodule" } as const;
  assert.deepEqual(texts(file("lib", { submodule, patch, rows: null })),
    ["Submodule: commit 1111111111 → 2222222222. It holds changes of its own."]);
});

test("the baseline is said for every scope and every way it was found", () => {
  const { comparison, ...rest } = observation();
  const words = (more: Partial<typeof comparison>, scope: "all" | "staged" | "unstaged" = "all", head: string | null = rest.head): string =>
    baselineWords(scope, { comparison: { ...comparison, ...more }, head });
  const none = { kind: "working-tree", baseRef: null, baseCommit: null, mergeBase: null } as const;

  assert.equal(words({}), "From cccccccccc, where this branch left origin/main, to the working tree. Chosen automatically.");
  assert.equal(words({ policy: "v1.0", baseRef: "v1.0" }),
    "From cccccccccc, where this branch left v1.0 (asked for with --base), to the working tree.");
  const hash = "c".repeat(40);
  assert.equal(words({ policy: hash, baseRef: hash, baseCommit: hash }), "From cccccccccc (asked for with --base) to the working tree.");
  assert.equal(words({ policy: "bbbbbbbb", baseRef: "bbbbbbbb" }),
    "From cccccccccc, where this branch left bbbbbbbbbb (asked for with --base), to the working tree.");
  assert.equal(words({ ...none, policy: "HEAD" }), "From HEAD (dddddddddd) (asked for with --base) to the working tree.");
  for (const fallback of ["shallow", "unrelated", "no-default-branch", "unborn"] as const) {
    assert.ok(words({ ...none, fallback }).includes("No branch point: "), fallback);
  }
  assert.equal(words({}, "staged"), "From HEAD (dddddddddd) to the index.");
  assert.equal(words({}, "staged", null), "From nothing (no commit yet) to the index.");
  assert.ok(words({}, "unstaged").startsWith("From the index"));
  assert.ok(words({ ...none, kind: "patch" }).includes("the patch itself"));
});

test("observations of one branch are told apart by what they are compared with", () => {
  const { comparison } = observation();
  const mark = (more: Partial<typeof comparison>): string => baselineMark({ comparison: { ...comparison, ...more } });
  assert.deepEqual([mark({}), mark({ policy: "v1.0", baseRef: "v1.0" }), mark({ policy: "bbbb", baseRef: "b".repeat(40) })],
    ["since origin/main", "since v1.0 (--base)", "since bbbbbbbbbb (--base)"]);
  assert.deepEqual([mark({ kind: "working-tree" }), mark({ kind: "patch" })], ["since HEAD", ""]);
});

test("files that do not count are named by their class", () => {
  const noisy = (of: "lock" | "generated") => file(of, { noise: { class: of, reason: "r" } });
  assert.equal(noiseWords([file("a"), noisy("lock"), noisy("generated"), noisy("lock")], 1), "2 lock, 1 generated");
  assert.equal(noiseWords([noisy("lock")], 1), "");
});

test("an address gives back the route it was made from", () => {
  const routes: Route[] = [
    { page: "picker", filters: { q: "a & b", shown: "all", hosts: ["x", "y&z"], branches: ["f/1"], worktrees: [] } },
    { page: "picker", filters: NO_FILTERS },
    { page: "review", context: "c1", scope: "staged", spot: null },
    { page: "review", context: "c1", scope: "all", spot: { file: "f1", line: null } },
    { page: "review", context: "c1", scope: "all", spot: { file: "f1", line: { side: "old", number: 7 } } },
  ];
  for (const route of routes) {
    const { pathname, search } = new URL(formatRoute(route), "http://x");
    assert.deepEqual(parseRoute(pathname, search), route);
  }
});

test("addresses that are not ours lead nowhere, and bad values to the default", () => {
  assert.equal(parseRoute("/contexts/a/b", "").page, "unknown");
  assert.equal(parseRoute("/contexts/<b>", "").page, "unknown");
  assert.deepEqual(parseRoute("/contexts/a", "?scope=x&file=f&line=zz"),
    { page: "review", context: "a", scope: "all", spot: { file: "f", line: null } });
});

test("what was remembered badly is as if not remembered", () => {
  const defaults = checked({});
  for (const bad of [null, 7, "x", [], { theme: "pink", tab: 5, wrap: "yes", treeWidth: -1, layout: {} }]) {
    assert.deepEqual(checked(bad), defaults);
  }
  assert.equal(checked({ theme: "dark" }).theme, "dark");
});

test("no key means two things, and every action has a key and is listed once", () => {
  const all: string[] = Object.values(KEYS).flat();
  assert.equal(new Set(all).size, all.length);
  assert.ok(Object.values(KEYS).every((keys) => keys.length > 0));
  assert.deepEqual(GROUPS.flatMap(actionsIn).sort(), Object.keys(KEYS).sort());
  assert.equal(new Set(Object.values(KEY_WORDS).map(([, words]) => words)).size, Object.keys(KEYS).length);
});

test("keys mean nothing while typing or with a modifier, and letters can be switched off", () => {
  assert.equal(actionOf({ ...PLAIN, key: "j" }, false, true), "next-line");
  assert.equal(actionOf({ ...PLAIN, key: "j" }, true, true), null);
  assert.equal(actionOf({ ...PLAIN, key: "j", ctrlKey: true }, false, true), null);
  assert.equal(actionOf({ ...PLAIN, key: "j" }, false, false), null);
  assert.equal(actionOf({ ...PLAIN, key: "Escape" }, true, false), "escape");
});

test("the catalog is grouped by repository, the most recent first", () => {
  const groups = grouped([
    summary("1"), summary("2", { repositoryKey: "api" }), summary("3"),
    summary("4", { repositoryKey: null, sourceKind: "patch" }),
  ]);
  assert.deepEqual(groups.map(({ contexts }) => contexts.map(({ contextId }) => contextId)), [["1", "3"], ["2"], ["4"]]);
});

test("noise and deleted files start folded", () => {
  assert.ok(foldedAtFirst(file("a", { noise: { class: "lock", reason: "r" } })));
  assert.ok(foldedAtFirst(file("a", { status: "D" })));
  assert.ok(!foldedAtFirst(file("a")));
});

test("only a newline ends a line of stored contents", () => {
  assert.deepEqual(linesOf("a\rb\u2028c\nd\n"), ["a\rb\u2028c", "d"]);
  assert.deepEqual(linesOf("a"), ["a"]);
  assert.deepEqual(linesOf(""), []);
  assert.equal(linesOf(null), null);
});

test("an operation's address encodes what it is given and leaves out what is not", () => {
  assert.equal(addressOf("/c/{id}", { id: "a/b" }, { q: "x y", none: undefined, empty: "", many: ["1", "2"] }),
    "/c/a%2Fb?q=x+y&many=1&many=2");
  assert.equal(addressOf("/c", {}, {}), "/c");
});
