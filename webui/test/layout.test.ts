import { strict as assert } from "node:assert";
import { test } from "node:test";
import { columnsOf, expectedHeight, Paging, rowAt, Stack, topsOf } from "../src/diff/layout.ts";
import { parsePatch } from "../src/diff/patch.ts";
import { gapsOf, layRows } from "../src/diff/rows.ts";
import { randomPatch, seeds } from "./random.ts";

test("a position lies in the thing whose top is at or above it", () => {
  for (const random of seeds(50)) {
    const stack = new Stack(Float64Array.from({ length: 1 + random(40) }, () => 1 + random(500)));
    for (let at = 0; at < stack.count; at++) {
      assert.equal(stack.at(stack.top(at)), at);
      assert.equal(stack.at(stack.top(at) + stack.height(at) - 1), at);
    }
    assert.equal(stack.at(-5), 0);
    assert.equal(stack.at(stack.total + 5), stack.count - 1);
  }
});

test("resizing one thing moves those below it and no other", () => {
  const stack = new Stack(Float64Array.of(10, 20, 30));
  stack.resize(1, 25);

  assert.deepEqual([0, 1, 2].map((at) => stack.top(at)), [0, 10, 35]);
  assert.equal(stack.total, 65);
});

test("the height of a patch is known before the patch is", () => {
  for (const random of seeds(50)) {
    const patch = parsePatch(randomPatch(random).text);
    for (const mode of ["split", "unified"] as const) {
      const rows = layRows(patch, mode, gapsOf(patch, null), []);
      const tops = topsOf(rows, null);
      assert.equal(tops[rows.count], expectedHeight(patch.hunks.length, rows.count));
      for (let row = 0; row < rows.count; row++) assert.equal(rowAt(tops, tops[row]), row);
    }
  }
});

test("a tab reaches the next stop", () => {
  assert.equal(columnsOf("\ta", 4), 5);
  assert.equal(columnsOf("ab\tc", 4), 5);
  assert.equal(columnsOf("abcd\t", 4), 8);
  assert.equal(columnsOf("a\tb\t", 8), 16);
});

test("below the limit a scroll position is a position", () => {
  const paging = new Paging(1_000);
  assert.deepEqual(paging.moved(77, 100, 900), { top: 77, scroll: 77 });
  assert.equal(paging.goTo(850, 100, 900), 800);
  assert.equal(paging.shift, 0);
});

test("small steps reach both ends and every place between, one pixel of scroll for one of content", () => {
  const [view, total] = [100, 50_000];
  for (const step of [37, -37]) {
    const paging = new Paging(10_000);
    let scroll = paging.goTo(step > 0 ? 0 : total, view, total);
    let top = scroll + paging.shift;
    const end = step > 0 ? total - view : 0;
    for (let turns = 0; top !== end && turns < 2_000; turns++) {
      const asked = Math.max(0, Math.min(10_000 - view, scroll + step));
      const moved = paging.moved(asked, view, total);
      assert.equal(moved.top - top, asked - scroll);
      assert.equal(moved.scroll + paging.shift, moved.top);
      ({ top, scroll } = moved);
    }
    assert.equal(top, end);
  }
});

test("any place can be gone to, and a jump of the bar goes there in proportion", () => {
  for (const random of seeds(50)) {
    const [view, total] = [200, 90_000 + random(1_000_000)];
    const paging = new Paging(10_000);
    for (let i = 0; i < 20; i++) {
      const wanted = random(total - view);
      const scroll = paging.goTo(wanted, view, total);
      assert.equal(scroll + paging.shift, wanted);
      assert.ok(scroll >= 0 && scroll <= 10_000 - view);
    }
    paging.goTo(0, view, total);
    const { top, scroll } = paging.moved(4_900, view, total);
    assert.equal(scroll, 4_900);
    assert.equal(top, Math.round(((total - view) * 4_900) / 9_800));
  }
});
