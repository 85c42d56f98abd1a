import { strict as assert } from "node:assert";
import { test } from "node:test";
import type { Result } from "../src/api/client.ts";
import type { PatchPage } from "../src/api/types.gen.ts";
import { PatchLoader, type Wanted } from "../src/state/patches.ts";

/** A server that answers when told to. */
class Server {
  readonly asked: string[][] = [];
  readonly arrived: string[] = [];
  failures = 0;
  private readonly waiting: Array<(result: Result<PatchPage>) => void> = [];
  readonly loader = new PatchLoader(
    (ids) => {
      this.asked.push([...ids]);
      return new Promise((resolve) => this.waiting.push(resolve));
    },
    (patches) => this.arrived.push(...patches.map(({ fileId }) => fileId)),
    () => { this.failures++; },
  );

  /** Answer the oldest request with so many of its patches. */
  async answer(most = 1_000): Promise<void> {
    const ids = this.asked[this.asked.length - this.waiting.length].slice(0, most);
    const patches = ids.map((fileId) => ({ fileId, patch: "", reason: null, encoding: "utf-8" as const }));
    await this.settle({ ok: true, value: { patches, nextCursor: null } });
  }

  async fail(): Promise<void> {
    await this.settle({ ok: false, failure: { code: "busy", status: 503, detail: "Not now.", request: "GET" } });
  }

  private async settle(result: Result<PatchPage>): Promise<void> {
    this.waiting.shift()?.(result);
    await new Promise((resolve) => setTimeout(resolve));
  }
}

const files = (from: number, count: number, bytes = 100): Wanted[] =>
  Array.from({ length: count }, (_, at) => ({ id: `f${from + at}`, bytes }));

test("what is on screen is asked for first, in few requests, and never twice", async () => {
  const server = new Server();
  server.loader.want(files(0, 100));
  server.loader.want(files(0, 100));

  assert.equal(server.asked.length, 3);
  assert.equal(server.asked[0][0], "f0");
  const ids = server.asked.flat();
  assert.equal(new Set(ids).size, ids.length);
});

test("large patches travel alone, so that they keep nothing else waiting", () => {
  const server = new Server();
  server.loader.want(files(0, 3, 2_000_000));

  assert.deepEqual(server.asked, [["f0"], ["f1"], ["f2"]]);
});

test("what the reader scrolled past is not asked for any more", async () => {
  const server = new Server();
  server.loader.want(files(0, 200));
  server.loader.want(files(1_000, 2));
  await server.answer();

  assert.deepEqual(server.asked[3], ["f1000", "f1001"]);
});

test("what a full page leaves out is asked for again", async () => {
  const server = new Server();
  server.loader.want(files(0, 10));
  await server.answer(4);

  assert.deepEqual(server.asked[1], ["f4", "f5", "f6", "f7", "f8", "f9"]);
  await server.answer();
  assert.equal(server.arrived.length, 10);
});

test("after a failure nothing is asked until the reader says so", async () => {
  const server = new Server();
  server.loader.want(files(0, 1));
  await server.fail();
  server.loader.want(files(0, 2));
  assert.equal(server.failures, 1);
  assert.equal(server.asked.length, 1);

  server.loader.retry();
  assert.deepEqual(server.asked[1], ["f0", "f1"]);
});

test("a server that answers with nothing is not asked for ever", async () => {
  const server = new Server();
  server.loader.want(files(0, 1));
  await server.answer(0);

  assert.equal(server.asked.length, 1);
});
