import { strict as assert } from "node:assert";
import { test } from "node:test";
import { Drafts, type Draft, keyOf, type Kept, type Server, type Target, targetOf, type Told } from "../src/state/drafts.ts";

const LINES: Target = { kind: "lines", scope: "all", file: "f-1_x", side: "old", start: 3, end: 5 };
const REPLY: Target = { kind: "reply", thread: "t9" };

class Memory implements Kept {
  readonly map = new Map<string, string>();
  get length(): number { return this.map.size; }
  key(at: number): string | null { return [...this.map.keys()][at] ?? null; }
  getItem(name: string): string | null { return this.map.get(name) ?? null; }
  removeItem(name: string): void { this.map.delete(name); }
  setItem(name: string, value: string): void { this.map.set(name, value); }
}

class Shelf implements Server {
  readonly map = new Map<string, { key: string; body: string; idempotencyKey: string }>();
  answer: Told = "known";
  meanwhile: () => void = () => undefined;
  async list() { return this.answer === "known" ? [...this.map.values()] : null; }
  async keep({ key, text, id }: Draft): Promise<Told> {
    if (this.answer === "known") this.map.set(key, { key, body: text, idempotencyKey: id });
    const act = this.meanwhile;
    this.meanwhile = () => undefined;
    act();
    return this.answer;
  }
  async drop(key: string): Promise<Told> {
    if (this.answer === "known") this.map.delete(key);
    return this.answer;
  }
}

function body(server: Shelf, target: Target): string | undefined {
  return server.map.get(keyOf(target))?.body;
}

test("every target is read back from its key, and nothing else is", () => {
  const targets: Target[] = [
    LINES, REPLY, { kind: "file", scope: "staged", file: "f" }, { kind: "review", scope: "all" },
    { kind: "edit", thread: "t" }, { kind: "summary" },
  ];
  for (const target of targets) assert.deepEqual(targetOf(keyOf(target)), target);
  for (const key of ["", "x", "lines", "lines.all.f.new", "lines.all.f.new.3", "lines.all.f.new.a-b", "file.all", "reply", "summary.x"]) {
    assert.equal(targetOf(key), null, key);
  }
});

test("a draft is found in another browser, and gone there once it was sent", async () => {
  const server = new Shelf();
  const mine = new Drafts("c", new Memory(), server);
  mine.write(mine.start(LINES).key, "half a th");
  await mine.flush();
  const kept = new Memory();
  const other = new Drafts("c", kept, server);
  await other.join();
  assert.deepEqual(other.of(LINES), mine.of(LINES));

  other.write(keyOf(LINES), "half a thought");
  await other.flush();
  await mine.join();
  assert.equal(mine.of(LINES)?.text, "half a thought");
  mine.close(keyOf(LINES));
  await mine.flush();
  await other.join();
  assert.deepEqual([other.of(LINES), kept.length, server.map.size], [undefined, 0, 0]);
});

test("an answer that was on its way while the reader went on writing takes back no word", async () => {
  const server = new Shelf();
  const drafts = new Drafts("c", new Memory(), server);
  const { key } = drafts.start(LINES);
  drafts.write(key, "h");
  await drafts.flush();
  const old = await server.list();
  let answer = (): void => {};
  server.list = () => new Promise((done) => { answer = () => done(old); });
  const joined = drafts.join();
  drafts.write(key, "half a thought");
  await drafts.flush();

  answer();
  await joined;
  assert.equal(drafts.of(LINES)?.text, "half a thought");
});

test("what a lost server was not told is told when it is back, by another page too", async () => {
  const [server, kept] = [new Shelf(), new Memory()];
  const drafts = new Drafts("c", kept, server);
  drafts.write(drafts.start(LINES).key, "first");
  drafts.write(drafts.start(REPLY).key, "gone soon");
  await drafts.flush();
  server.answer = "lost";
  drafts.write(keyOf(LINES), "second");
  drafts.close(keyOf(REPLY));
  await drafts.flush();
  assert.deepEqual([body(server, LINES), body(server, REPLY)], ["first", "gone soon"]);

  const again = new Drafts("c", kept, server);
  await again.join();
  assert.deepEqual([again.of(LINES)?.text, again.of(REPLY)], ["second", undefined]);
  server.answer = "known";
  await again.join();
  assert.deepEqual([body(server, LINES), server.map.size], ["second", 1]);
  assert.deepEqual([again.of(LINES)?.text, again.of(REPLY)], ["second", undefined]);
});

test("what is written while the server is told is told as well", async () => {
  const server = new Shelf();
  const drafts = new Drafts("c", new Memory(), server);
  const { key } = drafts.start(LINES);
  drafts.write(key, "one");
  server.meanwhile = () => drafts.write(key, "one two");
  await drafts.flush();
  assert.equal(body(server, LINES), "one two");
  server.meanwhile = () => drafts.close(key);
  drafts.write(key, "one two three");
  await drafts.flush();
  assert.equal(server.map.size, 0);
});

test("what the server refuses is not lost", async () => {
  const [server, kept] = [new Shelf(), new Memory()];
  const drafts = new Drafts("c", kept, server);
  server.answer = "refused";
  drafts.write(drafts.start(LINES).key, "too much");
  await drafts.flush();
  server.answer = "known";
  server.list = async () => [];
  server.keep = async () => "refused";
  await drafts.join();
  assert.equal(drafts.of(LINES)?.text, "too much");
  assert.equal(new Drafts("c", kept, server).of(LINES)?.text, "too much");
});

test("clearing the text forgets the draft without closing its box", async () => {
  const server = new Shelf();
  const drafts = new Drafts("c", new Memory(), server);
  drafts.write(drafts.start(LINES).key, "x");
  await drafts.flush();
  drafts.write(keyOf(LINES), " ");
  await drafts.flush();
  assert.equal(server.map.size, 0);
  assert.equal(drafts.of(LINES)?.text, " ");
});
