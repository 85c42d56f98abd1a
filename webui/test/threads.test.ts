import { strict as assert } from "node:assert";
import { test } from "node:test";
import type { Thread } from "../src/api/types.gen.ts";
import { Notes } from "../src/diff/notes.ts";
import { Drafts, draftNotes, type Kept, type Target } from "../src/state/drafts.ts";
import { inOrder, THREAD, threadNotes, Threads } from "../src/state/threads.ts";
import { send } from "../src/state/saying.ts";
import { nextThread, placeWords } from "../src/state/threadwords.ts";
import { file } from "./samples.ts";

const LINES: Target = { kind: "lines", scope: "all", file: "f", side: "new", start: 3, end: 5 };

class Memory implements Kept {
  readonly map = new Map<string, string>();
  full = false;
  get length(): number { return this.map.size; }
  key(at: number): string | null { return [...this.map.keys()][at] ?? null; }
  getItem(name: string): string | null { return this.map.get(name) ?? null; }
  removeItem(name: string): void { this.map.delete(name); }
  setItem(name: string, value: string): void {
    if (this.full) throw new Error("quota");
    this.map.set(name, value);
  }
}

function thread(id: string, fileId: string | null, line: number | null, more: Partial<Thread> = {}): Thread {
  const lines = line === null ? null : { side: "new", startLine: line, endLine: line } as const;
  const author = { kind: "account", name: null, harness: null, sessionId: null, sessionName: null } as const;
  return {
    id, contextId: "c", ported: false, scope: "all", anchor: { fileId, path: fileId, lines, fingerprint: "f" },
    place: { placement: "exact", fileId, path: fileId, lines }, applicability: "anchored", actionable: true, code: null,
    hunk: null, author, body: "why", status: "open", resolution: null, createdAt: 1, updatedAt: 1, editedAt: null,
    resolvedAt: null, resolvedBy: null, replies: [], ...more,
  };
}

test("a draft is kept with every keystroke and found again by another page", () => {
  const kept = new Memory();
  const drafts = new Drafts("c1", kept);
  const { key, id } = drafts.start(LINES);
  drafts.write(key, "Half a th");

  const again = new Drafts("c1", kept).of(LINES);
  assert.deepEqual([again?.text, again?.id], ["Half a th", id]);
  assert.equal(new Drafts("c2", kept).of(LINES), undefined);
  drafts.close(key);
  assert.equal(kept.length, 0);
});

test("beginning elsewhere closes only what has no word in it", () => {
  const drafts = new Drafts("c1", new Memory());
  drafts.start(LINES);
  const reply = drafts.start({ kind: "reply", thread: "t" });
  assert.equal(drafts.of(LINES), undefined);
  drafts.write(reply.key, "words");
  drafts.start(LINES);
  assert.equal(drafts.of({ kind: "reply", thread: "t" })?.text, "words");
});

test("a browser that keeps nothing loses no word on the page, and says so", () => {
  const kept = new Memory();
  kept.full = true;
  const drafts = new Drafts("c1", kept);
  drafts.write(drafts.start(LINES).key, "words");
  assert.equal(drafts.of(LINES)?.text, "words");
  assert.ok(drafts.fleeting.value);
});

test("what others left in the storage is not taken for a draft", () => {
  const kept = new Memory();
  kept.setItem("diffx.draft.c1.x", "{");
  kept.setItem("diffx.draft.c1.y", '{"key":"y","target":{"kind":"summary"},"text":"t","id":"i"}');
  assert.equal(new Drafts("c1", kept).open.value.size, 0);
});

test("a draft ends only when the server has it, and every try carries the same key", async () => {
  const drafts = new Drafts("c1", new Memory());
  const threads = new Threads("c1", "all");
  const { key } = drafts.start(LINES);
  drafts.write(key, "  words ");
  const sent: string[] = [];
  let ok = false;
  globalThis.fetch = (async (_: string, { body }: RequestInit) => {
    sent.push(String(body));
    if (!ok) throw new TypeError("offline");
    return new Response(JSON.stringify(thread("t1", "f", 5)), { status: 201 });
  }) as typeof fetch;

  assert.equal((await send(threads, drafts, drafts.of(LINES)!))?.code, "offline");
  assert.equal(drafts.of(LINES)?.text, "  words ");
  ok = true;
  assert.equal(await send(threads, drafts, drafts.of(LINES)!), null);
  assert.equal(drafts.of(LINES), undefined);
  assert.deepEqual(threads.list.value.map(({ id }) => id), ["t1"]);
  assert.equal(sent[0], sent[1]);
  assert.equal(JSON.parse(sent[0]).body, "words");
});

test("words that changed after a lost answer, or while they were sent, are kept for the next try", async () => {
  const drafts = new Drafts("c1", new Memory());
  const threads = new Threads("c1", "all");
  const { key } = drafts.start(LINES);
  drafts.write(key, "words");
  const keys: string[] = [];
  let status = 409;
  globalThis.fetch = (async (_: string, { method, body }: RequestInit) => {
    if (method === "GET") return new Response(JSON.stringify({ threads: [thread("t1", "f", 5)] }), { status: 200 });
    keys.push(JSON.parse(String(body)).idempotencyKey);
    if (status === 201) drafts.write(key, "words and more");
    const problem = { type: "about:blank", title: "No", status, code: "conflict", detail: "Other words." };
    return new Response(JSON.stringify(status === 409 ? problem : thread("t2", "f", 5)), { status });
  }) as typeof fetch;

  assert.ok(/saved meanwhile/.test((await send(threads, drafts, drafts.of(LINES)!))?.detail ?? ""));
  assert.equal(drafts.of(LINES)?.text, "words");
  status = 201;
  assert.equal(await send(threads, drafts, drafts.of(LINES)!), null);
  assert.equal(drafts.of(LINES)?.text, "words and more");
  assert.equal(new Set([...keys, drafts.of(LINES)!.id]).size, 3);
});

test("hidden threads leave drafts where they are", () => {
  const threads = new Threads("c1", "all");
  threads.list.value = [thread("a", "f", 5), thread("b", null, null)];
  assert.deepEqual(threadNotes(threads).get("f")?.map(({ key, line }) => [key, line]), [[`${THREAD}a`, 5]]);
  threads.hidden.value = true;
  assert.equal(threadNotes(threads).size, 0);
  const drafts = new Drafts("c1", null);
  drafts.start(LINES);
  assert.equal(draftNotes(drafts, "all").get("f")?.length, 1);
  assert.equal(draftNotes(drafts, "staged").size, 0);
});

test("threads are met in the order of the page, round and round", () => {
  const files = [file("a"), file("b")];
  const list = inOrder([thread("3", files[1].id, 2), thread("2", files[0].id, 9), thread("r", null, null), thread("1", files[0].id, null)], files);
  assert.deepEqual(list.map(({ id }) => id), ["r", "1", "2", "3"]);

  assert.equal(nextThread(list, files, { file: 0, line: 4 }, 1)?.id, "2");
  assert.equal(nextThread(list, files, { file: 0, line: 4 }, -1)?.id, "1");
  assert.equal(nextThread(list, files, { thread: "3" }, 1)?.id, "1");
  assert.equal(nextThread(list, files, { thread: "1" }, -1)?.id, "3");
  assert.equal(nextThread([], files, { file: 0, line: 0 }, 1), undefined);
  assert.equal(placeWords(thread("x", "f", null, { anchor: { ...thread("y", "f", 3).anchor } })), "the file; its lines are gone");
});

test("rows make room for what stands under them and give it back", () => {
  const notes = new Notes();
  const tops = Uint32Array.of(0, 20, 40, 60);
  notes.set([
    { key: "a", side: "new", line: 2, guess: 50 }, { key: "b", side: "new", line: 2, guess: 30 },
    { key: "f", side: "new", line: 0, guess: 10 },
  ]);
  assert.equal(notes.headHeight, 90);
  notes.settle(tops, (_, lines) => lines.map((line) => line - 1));

  assert.deepEqual([...tops], [0, 20, 120, 140]);
  assert.deepEqual(notes.placed.map((one) => [one.note.key, notes.topOf(one, tops)]), [["f", 0], ["a", 50], ["b", 100]]);
  assert.ok(notes.measured("a", 70, tops));
  assert.ok(!notes.measured("a", 70, tops));
  assert.deepEqual([...tops], [0, 20, 140, 160]);
  notes.lift(tops);
  assert.deepEqual([...tops], [0, 20, 40, 60]);
});
