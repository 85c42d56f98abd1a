/** What there is to say about a changed file besides its lines, in words. */
import type { ChangedFile, Side, WithheldReason } from "../api/types.gen.ts";
import type { Notice } from "../diff/sheet.ts";
import { bytes } from "../text/format.ts";
import { spellOut } from "../text/visible.ts";

export const WITHHELD: Readonly<Record<WithheldReason, string>> = {
  "binary": "it is binary",
  "too-large": "it is over the size limit of one file",
  "budget": "the observation's size limit was used up by other files",
  "submodule": "it is another repository",
  "special-file": "it is neither a file nor a link",
  "unreadable": "it could not be read when the changes were collected",
  "conflict": "it has an unresolved conflict",
  "encoding": "its text encoding is not known",
  "filtered": "a filter program that diffx does not run stands between the file and Git",
  "unsettled": "it kept changing while it was read",
  "not-fetched": "this partial clone has not fetched it",
  "secret": "it looks like it holds a secret",
  "not-captured": "a patch does not carry it",
};

const CONFLICTS: Readonly<Record<string, string>> = {
  DD: "deleted on both sides",
  AU: "added by us",
  UD: "deleted by them, changed by us",
  UA: "added by them",
  DU: "deleted by us, changed by them",
  AA: "added on both sides",
  UU: "changed on both sides",
};

const KINDS: Readonly<Record<string, string>> = {
  "100": "file",
  "120": "symbolic link",
  "160": "submodule",
  "040": "folder",
};

/** The notices of a file, most serious first. */
export function noticesOf(file: ChangedFile): Notice[] {
  return [...troubles(file), ...modes(file), ...pointers(file), ...objects(file), ...bodies(file)];
}

function troubles(file: ChangedFile): Notice[] {
  const found: Notice[] = [];
  if (file.damage) found.push({ tone: "bad", text: `This part of the patch is damaged: ${spellOut(file.damage)}` });
  if (file.conflict) {
    const how = CONFLICTS[file.conflict] ?? file.conflict;
    found.push({ tone: "bad", text: `Unresolved conflict: ${how}.` });
  }
  return found;
}

function modes(file: ChangedFile): Notice[] {
  const { oldMode, newMode } = file;
  if (!oldMode || !newMode || oldMode === newMode) {
    const link = (newMode ?? oldMode)?.startsWith("120");
    return link ? [plain("Symbolic link; its content is the path that it points to.")] : [];
  }
  const [before, after] = [oldMode, newMode].map((mode) => KINDS[mode.slice(0, 3)] ?? mode);
  if (before !== after) return [plain(`Was a ${before}, is now a ${after} (${oldMode} → ${newMode}).`)];
  if (newMode === "100755") return [plain("Made executable (100644 → 100755).")];
  if (oldMode === "100755") return [plain("No longer executable (100755 → 100644).")];
  return [plain(`Mode changed: ${oldMode} → ${newMode}.`)];
}

function pointers(file: ChangedFile): Notice[] {
  if (file.repository) return [plain("An untracked repository inside this checkout; its files are not listed.")];
  const pointer = file.submodule;
  if (!pointer) return [];
  const short = (commit: string | null): string => commit?.slice(0, 10) ?? "none";
  const moved = pointer.oldCommit !== pointer.newCommit;
  const parts = [moved
    ? `Submodule: commit ${short(pointer.oldCommit)} → ${short(pointer.newCommit)}.`
    : `Submodule: still at commit ${short(pointer.newCommit)}.`];
  if (pointer.modifiedContent) parts.push("It holds changes of its own.");
  if (pointer.untrackedContent) parts.push("It holds untracked files.");
  return [plain(parts.join(" "))];
}

/** A Git LFS file is compared by its pointer: what that stands for is elsewhere. */
function objects({ before, after }: ChangedFile): Notice[] {
  const sizes = [before, after].flatMap((side) => (side?.lfs ? [bytes(side.lfs.size)] : []));
  if (!sizes.length) return [];
  return [plain(`Git LFS: these lines are its pointer; the file itself (${sizes.join(" → ")}) is not in this review.`)];
}

/** Why there are no lines to show, where there are none. */
function bodies(file: ChangedFile): Notice[] {
  if (file.patch.available) return linesOf(file) ? [] : [plain(emptyWords(file))];
  if (file.submodule || file.repository) return [];
  const reason = file.patch.reason;
  const image = file.after?.image ?? file.before?.image;
  if (image) return [plain(`${image.type.slice(6).toUpperCase()} image${sizes(file)}.`)];
  if (file.binary || reason === "binary") return [plain(`Binary file${sizes(file)}${large(file)}.`)];
  if (!reason) return [plain(emptyWords(file))];
  const size = file.patch.bytes ? ` (${bytes(file.patch.bytes)})` : sizes(file);
  return [{ tone: "warn", text: `The lines are not shown${size}: ${WITHHELD[reason] ?? reason}.` }];
}

function linesOf(file: ChangedFile): number {
  return file.rows?.unified ?? 0;
}

function emptyWords(file: ChangedFile): string {
  if (file.oldPath) return "Renamed without a change of content.";
  if (file.status === "A") return "The new file is empty.";
  if (file.status === "D") return "The deleted file was empty.";
  return "No line differs.";
}

function sizes(file: ChangedFile): string {
  const size = (side: Side | null): string | null =>
    side?.size === null || side?.size === undefined ? null : bytes(side.size);
  const [before, after] = [size(file.before), size(file.after)];
  if (before && after) return `, ${before} → ${after}`;
  const only = after ?? before ?? (file.size === null ? null : bytes(file.size));
  return only ? `, ${only}` : "";
}

/** An image over the limit was not even looked at: say why there is none. */
function large({ before, after }: ChangedFile): string {
  return [before, after].some((side) => side?.reason === "too-large") ? `; not stored, because ${WITHHELD["too-large"]}` : "";
}

function plain(text: string): Notice {
  return { tone: "plain", text };
}
