import { strict as assert } from "node:assert";
import { test } from "node:test";
import type { Image, Side } from "../src/api/types.gen.ts";
import { noticesOf } from "../src/state/notices.ts";
import { isPicture, measures, MOST_PIXELS, pictureNotes, pictureOf } from "../src/state/pictures.ts";
import { isPlain } from "../src/state/review.ts";
import { file } from "./samples.ts";

const IMAGE: Image = { type: "image/png", available: true, width: 640, height: 480 };

function side(image?: Image, more: Partial<Side> = {}): Side {
  return { available: false, size: 12_000, encoding: "utf-8", reason: "binary", ...(image ? { image } : {}), ...more };
}

const picture = (one: Side, calm = false) => pictureOf(one, "after", "/u", calm);

test("a stored image is shown at once, with its measures", () => {
  const one = picture(side(IMAGE));
  assert.ok(one);
  assert.equal(one.url, "/u");
  assert.equal(one.missing ?? one.heavy, null);
  assert.equal(measures(one), "640 × 480, 12 kB");
  assert.equal(pictureOf(null, "before", "/u", false), null);
});

test("an image that could fill the memory, or whose header says nothing, is shown on request", () => {
  assert.match(picture(side({ ...IMAGE, width: 60_000, height: 60_000 }))?.heavy ?? "", /3,600 million pixels.*14 GB/);
  assert.equal(picture(side({ ...IMAGE, width: MOST_PIXELS, height: 1 }))?.heavy, null);
  assert.match(picture(side({ ...IMAGE, width: null, height: null }))?.heavy ?? "", /does not say/);
});

test("what may move waits for those who want no motion", () => {
  assert.equal(picture(side({ ...IMAGE, type: "image/gif" }))?.heavy, null);
  assert.equal(picture(side({ ...IMAGE, type: "image/gif" }), true)?.heavy, "It may move.");
  assert.equal(picture(side(IMAGE), true)?.heavy, null);
});

test("a side without an image to show says why", () => {
  const why = (one: Side): string => (assert.equal(picture(one)?.url, null), picture(one)?.missing ?? "");
  assert.match(why(side({ ...IMAGE, available: false, reason: "budget" })), /limit was used up/);
  assert.match(why(side(undefined, { reason: "too-large" })), /size limit of one file/);
  assert.match(why(side()), /no image that a browser/);
  assert.match(why({ available: true, size: 9, encoding: "utf-8" }), /text/);
  assert.match(why({ available: true, size: 9, encoding: "utf-8", lfs: { oid: "a".repeat(64), size: 99 } }), /pointer.*99 bytes/);
});

test("a file with an image on either side has room for it, and a notice that says so", () => {
  const image = file("a.png", { binary: true, patch: { available: false, bytes: 0, reason: "binary" }, before: side(), after: side(IMAGE) });
  assert.ok(isPicture(image));
  assert.equal(pictureNotes(image).length, 1);
  assert.deepEqual(noticesOf(image).map(({ text }) => text), ["PNG image, 12 kB → 12 kB."]);
  assert.deepEqual(pictureNotes(file("a.ts")), []);
});

test("a Git LFS pointer is said to be one", () => {
  const pointer = { available: true, size: 130, encoding: "utf-8" as const, lfs: { oid: "a".repeat(64), size: 2_000 } };
  const one = file("a.psd", { before: null, after: pointer });
  assert.equal(isPlain(one), false);
  assert.match(noticesOf(one).map(({ text }) => text).join(), /pointer; the file itself \(2.0 kB\) is not in this review/);
});
