import { strict as assert } from "node:assert";
import { test } from "node:test";
import type { ChangedFile, Marks as Stored } from "../src/api/types.gen.ts";
import { setHunk, setMarks, undoMarks } from "../src/state/marking.ts";
import { Marks, progressOf } from "../src/state/marks.ts";
import { buildTree } from "../src/state/tree.ts";
import { file } from "./samples.ts";

const A = file("src/a.py", { fingerprint: "fa" });
const B = file("src/b.py", { fingerprint: "fb" });
const LOCK = file("uv.lock", { fingerprint: "fl", noise: { class: "lock", reason: "a lock file" } });

function stored(marks: Partial<Stored["marks"][number]>[], changed: Partial<Stored["changedSince"][number]>[] = []): Stored {
  return {
    scope: "all", review: 1,
    hunks: [],
    marks: marks.map((one) => ({ fileId: A.id, fingerprint: "fa", markedAt: 1, carried: false, ...one })),
    changedSince: changed.map((one) => ({ fileId: B.id, contextId: "c0", fingerprint: "old", markedAt: 1, ...one })),
  };
}

/** Answer requests with a status each; remembers them. */
function server(answer: (method: string, url: string) => number): string[] {
  const asked: string[] = [];
  globalThis.fetch = (async (url: string, { method, body }: RequestInit) => {
    asked.push(`${method} ${url} ${body ?? ""}`.trim());
    const status = method === "GET" ? 503 : answer(String(method), url);
    const problem = JSON.stringify({ type: "about:blank", title: "No", status, code: status === 409 ? "conflict" : "busy", detail: "Not now." });
    return new Response(status === 204 ? null : problem, { status });
  }) as typeof fetch;
  return asked;
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((done) => setTimeout(done, 1));
}

test("a mark holds for the fingerprint that was seen and for no other (8.3)", () => {
  const marks = new Marks("c1", "all");
  marks.take(stored([{}, { fileId: B.id, fingerprint: "other" }], [{}]));

  assert.equal(marks.of(A), "reviewed");
  assert.equal(marks.of(B), "changed");
  assert.equal(marks.reviewedIn(B), "c0");
  marks.take(stored([{ carried: true }]));
  assert.equal(marks.of(A), "carried");
});

test("marking sends the fingerprint and shows at once", async () => {
  const asked = server(() => 204);
  const marks = new Marks("c1", "staged");
  const done = setMarks(marks, [A], true);
  assert.ok(marks.isReviewed(A));

  assert.equal(await done, null);
  assert.deepEqual(asked, ['PUT /api/v2/contexts/c1/review-marks/id-src%2Fa.py?scope=staged {"fingerprint":"fa"}']);
});

test("a refused mark goes away again and says why in words", async () => {
  server((method) => (method === "PUT" ? 409 : 204));
  const marks = new Marks("c1", "all");

  assert.ok(/^src\/a.py was not marked: Not now/.test((await setMarks(marks, [A], true)) ?? ""));
  assert.equal(marks.of(A), "none");
});

test("a file without a fixed state is never marked", async () => {
  const asked = server(() => 204);
  const marks = new Marks("c1", "all");
  const moving = { ...A, fingerprint: null } as unknown as ChangedFile;

  assert.ok(/still changing/.test((await setMarks(marks, [moving, B], true)) ?? ""));
  assert.equal(asked.length, 1);
  assert.equal(marks.of(moving), "none");
});

test("undoing takes back exactly what the last change did, and again does it anew", async () => {
  server(() => 204);
  const marks = new Marks("c1", "all");
  assert.equal(await undoMarks(marks), null);
  await setMarks(marks, [B], true);
  await setMarks(marks, [A, B], true);

  await undoMarks(marks);
  assert.deepEqual([marks.of(A), marks.of(B)], ["none", "reviewed"]);
  await undoMarks(marks);
  assert.equal(marks.of(A), "reviewed");
});

test("an answer that was under way while something was written is asked anew", async () => {
  const marks = new Marks("c1", "all");
  const answers: ((body: object) => void)[] = [];
  globalThis.fetch = (async (_: string, { method }: RequestInit) => {
    if (method !== "GET") return new Response(null, { status: 204 });
    const body = await new Promise<object>((done) => answers.push(done));
    return new Response(JSON.stringify(body), { status: 200 });
  }) as typeof fetch;
  const reload = marks.reload();
  await until(() => answers.length === 1);
  await setMarks(marks, [A], true);

  answers[0](stored([]));
  await until(() => answers.length === 2);
  assert.ok(marks.isReviewed(A));
  answers[1](stored([{ carried: true }]));
  await reload;
  assert.equal(marks.of(A), "carried");
});

test("a mark and its undoing reach the server in the order they were made", async () => {
  const marks = new Marks("c1", "all");
  const asked: string[] = [];
  let open = (): void => {};
  globalThis.fetch = (async (_: string, { method }: RequestInit) => {
    asked.push(String(method));
    if (method === "PUT") await new Promise<void>((done) => { open = done; });
    return new Response(null, { status: 204 });
  }) as typeof fetch;
  const marked = setMarks(marks, [A], true);
  const undone = undoMarks(marks);
  assert.ok(!marks.isReviewed(A));
  await until(() => asked.length > 0);

  assert.deepEqual(asked, ["PUT"]);
  open();
  await Promise.all([marked, undone]);
  assert.deepEqual(asked, ["PUT", "DELETE"]);
});

test("a folder is reviewed in part or in full, and noise does not count", async () => {
  const marks = new Marks("c1", "all");
  const [folder, lock] = buildTree([A, B, LOCK]);
  const progress = progressOf(() => [A, B, LOCK], marks);
  marks.take(stored([{}, { fileId: LOCK.id, fingerprint: "fl" }]));

  assert.equal(marks.tickOf(folder), "some");
  assert.equal(marks.tickOf(lock), "all");
  assert.deepEqual(progress.value, { done: 1, all: 2 });
  marks.take(stored([{}, { fileId: B.id, fingerprint: "fb" }]));
  assert.equal(marks.tickOf(folder), "all");
  assert.deepEqual(progressOf(() => [LOCK], marks).value, { done: 0, all: 1 });
});

const C = file("src/c.py", { fingerprint: "fc", rows: { hunks: 3, unified: 9, split: 9, maxColumns: 9 } });
const hunks = (marks: Marks): number[] => [...marks.hunksOf(C)].sort();

test("the last hunk marks its file, and one taken back leaves the others", async () => {
  const asked = server(() => 204);
  const marks = new Marks("c1", "all");
  for (const hunk of [2, 0]) await setHunk(marks, C, hunk, true);
  assert.deepEqual([marks.of(C), hunks(marks), marks.tickOf({ kind: "file", name: "c.py", key: C.id, file: C })], ["none", [0, 2], "some"]);
  await setHunk(marks, C, 1, true);
  assert.deepEqual([marks.of(C), hunks(marks)], ["reviewed", []]);
  assert.ok(marks.isHunkReviewed(C, 0));

  await setHunk(marks, C, 0, false);
  assert.deepEqual([marks.of(C), hunks(marks)], ["none", [1, 2]]);
  assert.equal(asked[0], 'PUT /api/v2/contexts/c1/review-marks/id-src%2Fc.py/hunks/2?scope=all {"fingerprint":"fc"}');
  assert.equal(asked.at(-1), "DELETE /api/v2/contexts/c1/review-marks/id-src%2Fc.py/hunks/0?scope=all");
});

test("undoing a hunk's mark opens it again, and undoing a file's mark brings its hunks' back", async () => {
  server(() => 204);
  const marks = new Marks("c1", "all");
  await setHunk(marks, C, 2, true);
  await setHunk(marks, C, 0, true);
  await undoMarks(marks);
  assert.deepEqual(hunks(marks), [2]);
  await setMarks(marks, [C], true);
  assert.deepEqual([marks.of(C), hunks(marks)], ["reviewed", []]);

  await undoMarks(marks);
  assert.deepEqual([marks.of(C), hunks(marks)], ["none", [2]]);
  await undoMarks(marks);
  assert.equal(marks.of(C), "reviewed");
});

test("a hunk that the server refuses is open again, with the others as they were", async () => {
  server((method, url) => (method === "PUT" && url.includes("/hunks/1") ? 409 : 204));
  const marks = new Marks("c1", "all");
  await setHunk(marks, C, 0, true);
  await setHunk(marks, C, 2, true);

  assert.ok(/^The hunk was not marked: Not now/.test((await setHunk(marks, C, 1, true)) ?? ""));
  assert.deepEqual([marks.of(C), hunks(marks)], ["none", [0, 2]]);
});

test("reviewed hunks come from the server by file", () => {
  const marks = new Marks("c1", "all");
  const one = (hunk: number, fileId = C.id) => ({ fileId, hunk, markedAt: 1, carried: true });
  marks.take({ ...stored([]), hunks: [one(0), one(2), one(1, "other")] });
  assert.deepEqual(hunks(marks), [0, 2]);
});
