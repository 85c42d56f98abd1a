/** Files that are images: what there is of each side, and what to say of it. No DOM. */
import type { ChangedFile, Image, Side } from "../api/types.gen.ts";
import type { Note } from "../diff/notes.ts";
import { bytes } from "../text/format.ts";
import { WITHHELD } from "./notices.ts";

export type Which = "before" | "after";

/** One side of an image as it is shown; without an address it says why. */
export interface Picture {
  readonly which: Which;
  readonly url: string | null;
  /** Pixels, as far as they are known before it is shown. */
  readonly width: number | null;
  readonly height: number | null;
  readonly size: number | null;
  /** Why there is nothing to show, or why to ask before showing it. */
  readonly missing: string | null;
  readonly heavy: string | null;
}

/** The key of the note in which an image is shown. */
export const PICTURES = "pictures";

/** A browser keeps four bytes for each pixel: beyond this, images are shown on request. */
export const MOST_PIXELS = 25_000_000;

const MAY_MOVE: readonly string[] = ["image/gif", "image/webp"];
const TALLEST = 400;
const AROUND = 92;

export function isPicture({ before, after }: ChangedFile): boolean {
  return !!(before?.image ?? after?.image);
}

/** The room that an image takes between the head of its file and what is said about it. */
export function pictureNotes(file: ChangedFile): Note[] {
  if (!isPicture(file)) return [];
  const heights = [file.before, file.after].map((side) => side?.image?.height ?? 0);
  return [{ key: PICTURES, side: "new", line: 0, guess: AROUND + Math.min(TALLEST, Math.max(64, ...heights)) }];
}

/** One side of a file, null where the file does not have it. A `calm` reader wants nothing to move unasked. */
export function pictureOf(side: Side | null, which: Which, url: string, calm: boolean): Picture | null {
  if (!side) return null;
  const { image, size } = side;
  const missing = missingWords(side);
  return {
    which, url: missing ? null : url, width: image?.width ?? null, height: image?.height ?? null, size, missing,
    heavy: image?.available ? heavyWords(image, calm) : null,
  };
}

function missingWords({ image, lfs, available, reason }: Side): string | null {
  if (image?.available) return null;
  if (lfs) return `it is a Git LFS pointer; the object itself (${bytes(lfs.size)}) is not in this review`;
  if (available) return "it is no image, but text";
  const why = image?.reason ?? reason;
  return why && why !== "binary" ? WITHHELD[why] : "it is no image that a browser is sure to show";
}

function heavyWords({ type, width, height }: Image, calm: boolean): string | null {
  if (calm && MAY_MOVE.includes(type)) return "It may move.";
  if (!width || !height) return "Its header does not say how many pixels it has.";
  if (width * height <= MOST_PIXELS) return null;
  return `It says it has ${(width * height / 1e6).toLocaleString("en", { maximumFractionDigits: 0 })} million pixels, for which a browser needs ${bytes(4 * width * height)} of memory.`;
}

/** "640 × 480, 12 kB", as far as it is known. */
export function measures({ width, height, size }: Pick<Picture, "width" | "height" | "size">): string {
  const pixels = width && height ? `${width.toLocaleString("en")} × ${height.toLocaleString("en")}` : "";
  return [pixels, size === null ? "" : bytes(size)].filter(Boolean).join(", ");
}
