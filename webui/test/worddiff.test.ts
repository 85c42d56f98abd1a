import { strict as assert } from "node:assert";
import { test } from "node:test";
import { diffWords, pairLines, type Ranges } from "../src/diff/worddiff.ts";
import { randomLine, seeds } from "./random.ts";

/** What is left of a text without its changed columns. */
function kept(text: string, ranges: Ranges): string {
  let left = "";
  let at = 0;
  for (let i = 0; i < ranges.length; i += 2) {
    left += text.slice(at, ranges[i]);
    at = ranges[i + 1];
  }
  return left + text.slice(at);
}

function words(text: string, ranges: Ranges): string[] {
  const found: string[] = [];
  for (let i = 0; i < ranges.length; i += 2) found.push(text.slice(ranges[i], ranges[i + 1]));
  return found;
}

test("only the words that differ are marked", () => {
  const [before, after] = ["const total = price * count;", "const sum = price * quantity;"];
  const [left, right] = diffWords(before, after);

  assert.deepEqual(words(before, left), ["total", "count"]);
  assert.deepEqual(words(after, right), ["sum", "quantity"]);
});

test("changed words with one blank between them are one change", () => {
  const after = "return new value";
  assert.deepEqual(words(after, diffWords("return old thing", after)[1]), ["new value"]);
});

test("another indentation is marked only where nothing else differs", () => {
  assert.deepEqual(diffWords("  return one;", "    return one;"), [[0, 2], [0, 4]]);
  const after = "    return two + 1;";
  assert.deepEqual(words(after, diffWords("  return one;", after)[1]), ["two + 1"]);
});

test("ranges ascend, lie inside the text, and leave the same words on both sides", () => {
  for (const random of seeds(300)) {
    const [before, after] = [randomLine(random), randomLine(random)];
    const [left, right] = diffWords(before, after);
    for (const [text, ranges] of [[before, left], [after, right]] as const) {
      assert.equal(ranges.length % 2, 0);
      for (let i = 1; i < ranges.length; i++) assert.ok(ranges[i] > ranges[i - 1]);
      if (ranges.length) assert.ok(ranges[ranges.length - 1] <= text.length);
    }
    if (before.trimStart() !== before || after.trimStart() !== after) continue;
    const blanksAside = (text: string): string => text.replace(/ /g, "");
    assert.equal(blanksAside(kept(before, left)), blanksAside(kept(after, right)));
  }
});

test("lines pair by likeness, not by position", () => {
  const removed = ["import os", "value = compute(first, second)"];
  const added = ["value = compute(first, third)", "print(value)"];

  assert.deepEqual([...pairLines(removed, added)], [-1, 0]);
});

test("pairs keep their order and never share a partner", () => {
  for (const random of seeds(100)) {
    const lines = (): string[] => Array.from({ length: random(6) }, () => randomLine(random));
    const added = lines();
    let last = -1;
    for (const partner of pairLines(lines(), added)) {
      if (partner < 0) continue;
      assert.ok(partner > last && partner < added.length);
      last = partner;
    }
  }
});

test("a run too large to compare pairs by position only where both sides are as long", () => {
  const many = (count: number): string[] => Array.from({ length: count }, (_, at) => `line ${at}`);
  assert.equal(pairLines(many(60), many(60))[59], 59);
  assert.equal(pairLines(many(60), many(61))[0], -1);
});
