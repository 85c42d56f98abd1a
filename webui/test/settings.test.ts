import { strict as assert } from "node:assert";
import { test } from "node:test";
import { prefer, prefs } from "../src/state/prefs.ts";
import { keepSettings } from "../src/state/settings.ts";

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((done) => setTimeout(done, 5));
}

test("what was changed back while it was sent, and what another window changed, both hold on the server", async () => {
  let stored: Record<string, unknown> = { theme: "light", tab: 4, "of-another": 1 };
  const puts: Record<string, unknown>[] = [];
  let hold: Promise<void> | null = null;
  let open = (): void => {};
  globalThis.fetch = (async (_: string, { method, body }: RequestInit) => {
    if (method === "PUT") {
      puts.push(JSON.parse(String(body)).preferences);
      await hold;
      stored = puts[puts.length - 1];
    }
    return new Response(JSON.stringify({ preferences: stored }), { status: 200 });
  }) as typeof fetch;
  await keepSettings();
  assert.equal(prefs.value.theme, "light");

  hold = new Promise((done) => { open = done; });
  prefer({ wrap: true });
  await until(() => puts.length === 1);
  prefer({ wrap: false });
  open();
  hold = null;
  await until(() => puts.length === 2);
  await until(() => stored["wrap"] === false);
  stored = { ...stored, theme: "dark" };
  prefer({ tab: 8 });
  await until(() => puts.length === 3);
  assert.deepEqual([stored["theme"], stored["tab"], stored["of-another"]], ["dark", 8, 1]);
});
