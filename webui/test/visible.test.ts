import { strict as assert } from "node:assert";
import { test } from "node:test";
import { bytes, plural, relative } from "../src/text/format.ts";
import { oddIn, spellOut } from "../src/text/visible.ts";

test("plain code has nothing odd, tabs, accents and emoji included", () => {
  for (const text of ["", "\tif (x) {", "naïve 中文", "👨‍👩‍👧 👩🏽‍🚀 ❤️‍🔥"]) assert.deepEqual(oddIn(text), []);
});

test("marks of direction, blanks of no width and controls are shown by name", () => {
  assert.equal(spellOut("a\u202Eb\u2066c"), "aU+202EbU+2066c");
  assert.equal(spellOut("\x1b[31m\x07\x7f\r\n"), "ESC[31mBELDELCRLF");
  assert.equal(spellOut("zero\u200Bwidth\uFEFF"), "zeroU+200BwidthU+FEFF");
  assert.equal(oddIn("\u202E")[0].title, "right-to-left override, U+202E");
});

test("a joiner outside an emoji is shown", () => {
  assert.equal(spellOut("pay\u200Dpal"), "payU+200Dpal");
});

test("halves of surrogate pairs and tag characters are shown, whole pairs are not", () => {
  assert.equal(spellOut("\uD83D x \uDE00 😀"), "U+D83D x U+DE00 😀");
  assert.equal(spellOut("\u{E0041}"), "U+E0041");
});

test("odd stretches tile the text they came from", () => {
  const text = "\u202Ea\u200B\u200Bb\x00";
  let at = 0;
  for (const { from, to } of oddIn(text)) {
    assert.ok(from >= at && to > from);
    at = to;
  }
  assert.equal(oddIn(text).length, 4);
});

test("sizes, counts and times read as people say them", () => {
  assert.deepEqual([0, 1, 999, 1_000, 14_200, 999_600, 5_300_000].map(bytes),
    ["0 bytes", "1 byte", "999 bytes", "1.0 kB", "14 kB", "1.0 MB", "5.3 MB"]);
  assert.equal(plural(1, "file"), "1 file");
  assert.equal(plural(2_000, "repository", "repositories"), "2,000 repositories");
  const now = 1_800_000_000_000;
  const ago = (ms: number): string => relative(now - ms, now);
  assert.deepEqual([0, 50_000, 300_000, 3_600_000, 86_400_000 * 3, 86_400_000 * 30].map(ago),
    ["just now", "1 minute ago", "5 minutes ago", "1 hour ago", "3 days ago", "4 weeks ago"]);
  assert.equal(relative(now + 7 * 86_400_000, now), "in 1 week");
});
