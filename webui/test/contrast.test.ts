/** Text must be readable wherever it may stand (WCAG 2.2 AA): the colours are checked as figures. */
import { strict as assert } from "node:assert";
import { readFileSync } from "node:fs";
import { test } from "node:test";

const STYLES = process.env.DIFFX_CONTRACTS + "/../../webui/src/styles/";
const read = (name: string): string => readFileSync(STYLES + name, "utf8");
const PAIR = /(--[\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)/g;
const colours = new Map([...(read("tokens.css") + read("code.css")).matchAll(PAIR)]
  .map(([, name, light, dark]) => [name, { light, dark }]));

function luminance(hex: string): number {
  const [r, g, b] = [1, 3, 5].map((at) => {
    const part = parseInt(hex.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(one: string, other: string): number {
  const [high, low] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (high + 0.05) / (low + 0.05);
}

function check(texts: readonly string[], grounds: readonly string[], least: number): void {
  for (const text of texts) for (const ground of grounds) for (const theme of ["light", "dark"] as const) {
    const found = contrast(colours.get(text)![theme], colours.get(ground)![theme]);
    assert.ok(found >= least, `${text} on ${ground} in ${theme}: ${found.toFixed(2)}, needs ${least}`);
  }
}

const CODE = [...colours.keys()].filter((name) => name.startsWith("--code-"));

test("every colour of code reads on every ground that a line can have", () => {
  assert.ok(CODE.length >= 10);
  check([...CODE, "--fg"], ["--bg", "--add", "--del", "--add-word", "--del-word"], 4.5);
});

test("words of the page read on their grounds", () => {
  check(["--fg", "--muted"], ["--bg", "--panel", "--raised", "--tint", "--bar"], 4.5);
  check(["--plus", "--minus", "--accent"], ["--bg", "--panel", "--tint"], 4.5);
  check(["--num"], ["--bg", "--add", "--del", "--none"], 4.5);
  check(["--fg"], ["--add-num", "--del-num", "--warn-bg", "--bad-bg"], 4.5);
  check(["--warn"], ["--warn-bg", "--panel"], 4.5);
  check(["--bad"], ["--bad-bg"], 4.5);
  check(["--ok"], ["--bg", "--panel"], 4.5);
  check(["--odd"], ["--odd-bg"], 4.5);
  check(["--on-accent"], ["--accent"], 4.5);
});

const BLOCK = /:root\[data-(palette|code)="([\w-]+)"\] \{([^}]*)\}/g;

test("colours that a reader can choose read as well, in every combination", () => {
  const choices = [...read("choices.css").matchAll(BLOCK)].map(([, kind, name, body]) =>
    ({ kind, name, values: [...body.matchAll(PAIR)].map(([, key, light, dark]) => [key, { light, dark }] as const) }));
  const usual = new Map(colours);
  const put = (values: (typeof choices)[number]["values"]): void => values.forEach(([key, value]) => colours.set(key, value));
  assert.deepEqual(choices.map(({ name }) => name), ["blue-orange", "teal-red", "github", "solarized", "contrast", "plain"]);
  for (const palette of [{ values: [] }, ...choices.filter(({ kind }) => kind === "palette")]) {
    usual.forEach((value, key) => colours.set(key, value));
    put(palette.values);
    check(["--plus", "--minus"], ["--bg", "--panel", "--tint"], 4.5);
    check(["--fg"], ["--add-num", "--del-num", "--add-word", "--del-word"], 4.5);
    check(["--num"], ["--add", "--del"], 4.5);
    for (const { kind, values, name } of choices) {
      if (kind !== "code") continue;
      put(values);
      check(CODE, ["--bg", "--add", "--del", "--add-word", "--del-word"], name === "contrast" ? 7 : 4.5);
    }
  }
  usual.forEach((value, key) => colours.set(key, value));
});

test("what shows state without text stands out", () => {
  check(["--focus", "--cursor", "--line-strong"], ["--bg", "--panel"], 3);
});
