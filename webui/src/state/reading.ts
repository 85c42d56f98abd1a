/** Files as a reader has them open: the changes of a review, or what lies between two of them. No DOM. */
import { computed, effect, type ReadonlySignal, type Signal, signal, untracked } from "@preact/signals";
import type { Failure, Result } from "../api/client.ts";
import type { ChangedFile, HitPage, PatchPage, Scope } from "../api/types.gen.ts";
import type { Contents, Lines } from "../diff/rows.ts";
import type { Note } from "../diff/notes.ts";
import { type Frame, type Notice, Sheet, sideTexts, type TokenSides } from "../diff/sheet.ts";
import type { Asked } from "./find.ts";
import { type Hunks, type Marks, progressOf } from "./marks.ts";
import { PatchLoader } from "./patches.ts";
import { formatRoute } from "./route.ts";
import { inOrder, sameNotes, THREAD, threadNotes, type Threads } from "./threads.ts";
import { buildTree, filesInOrder, type Folder, type Leaf, matches } from "./tree.ts";

export type Status =
  | { readonly kind: "loading" }
  | { readonly kind: "ready" }
  | { readonly kind: "failed"; readonly failure: Failure };

export interface Colours {
  tokens(path: string, sides: { old: string; new: string }): Promise<Pick<TokenSides, "old" | "new"> | null>;
}

/** Makes what there is of a file besides its lines, in words and in pictures: see `remarks.ts`. */
export type Remarks = (file: ChangedFile) => { readonly notices: readonly Notice[]; readonly notes: readonly Note[] };

/** What draws the files; told when a sheet changed, asked what is on screen. */
export interface Drawing {
  refresh(sheet: Sheet, heights?: boolean): void;
  shows(sheet: Sheet): boolean;
  /** A sheet or some of its hunks were marked, or their marks taken back. */
  showMarks(sheet: Sheet): void;
  /** Make a change to what stands between a sheet's rows. */
  change(sheet: Sheet, act: () => void): void;
}

/** A side of a file of a context. */
export interface Stored {
  readonly contextId: string;
  readonly diffId: string;
  readonly fileId: string;
  readonly side: "before" | "after";
}

/** Where what is read is kept, and what the reader does to it. */
export interface Kept {
  readonly contextId: string;
  readonly scope: Scope;
  readonly marks: Marks;
  readonly threads: Threads;
  /** What is being written between the lines, by file. */
  readonly draftNotes: Signal<ReadonlyMap<string, readonly Note[]>>;
}

/** The server is gone, or was replaced by another version while the page was open. */
export const PART_MISSING: Failure = {
  code: "offline", status: 0, detail: "A part of this page could not be loaded.", request: "GET /assets/",
};

/** Patches kept in memory; the reader's place in the others is kept, their text is asked again. */
const KEPT_PATCHES = 400;
/** Files up to this size are coloured from their top, not from their hunks alone. */
const WHOLE_COLOURS = 300_000;

export abstract class Reading {
  readonly contextId: string;
  readonly scope: Scope;
  readonly marks: Marks;
  readonly threads: Threads;
  readonly draftNotes: Kept["draftNotes"];
  readonly status: Signal<Status> = signal({ kind: "loading" });
  readonly filter = signal("");
  readonly closedFolders: Signal<ReadonlySet<string>> = signal(new Set());
  /** The file that is read: the cursor's, or where the reader scrolled to. */
  readonly reading: Signal<string | null> = signal(null);
  readonly patchFailure: Signal<Failure | null> = signal(null);
  readonly files: ReadonlySignal<readonly ChangedFile[]> = computed(() => this.listed());
  readonly tree: ReadonlySignal<ReadonlyArray<Folder | Leaf>> = computed(() =>
    buildTree(this.files.value.filter((file) => matches(file, this.filter.value))));
  readonly sheets: ReadonlySignal<readonly Sheet[]> = computed(() =>
    filesInOrder(this.tree.value).map((file) => untracked(() => this.sheetOf(file))));
  readonly threadsInOrder: ReadonlySignal<ReturnType<typeof inOrder>> = computed(() =>
    inOrder(this.threads.list.value, filesInOrder(this.tree.value)));
  abstract readonly progress: ReturnType<typeof progressOf>;
  /** The earlier context, where what is read lies between two. */
  readonly from?: string;

  drawing: Drawing | null = null;
  /** Where the reader was when something else was looked at. */
  position = 0;
  protected readonly known = new Map<string, Sheet>();
  private notes: ReadonlyMap<string, readonly Note[]> = new Map();
  private readonly loaded: Sheet[] = [];
  private readonly asked = new Set<Sheet>();
  private readonly fetched = new Map<Sheet, Promise<boolean>>();
  private readonly loader = new PatchLoader(
    (ids) => this.patchesOf(ids),
    (patches) => this.arrived(patches),
    ({ failure }) => { this.patchFailure.value = failure; },
  );
  private colouring: Promise<void> = Promise.resolve();

  constructor({ contextId, scope, marks, threads, draftNotes }: Kept, private readonly colours: Colours) {
    [this.contextId, this.scope, this.marks, this.threads, this.draftNotes] = [contextId, scope, marks, threads, draftNotes];
  }

  abstract load(): Promise<void>;

  /** Ask again for what could not be had. */
  retry(): Promise<void> | void {
    if (this.status.peek().kind === "failed") return this.load();
  }

  /** Where a side of a file is stored. */
  abstract storedAt(file: ChangedFile, side: "before" | "after"): Stored;

  /** The files, filtered or not. */
  protected abstract listed(): readonly ChangedFile[];

  protected abstract patchesOf(ids: readonly string[]): Promise<Result<PatchPage>>;

  /** The lines of both sides in full; null for what is not stored. */
  protected abstract textsOf(file: ChangedFile): Promise<Result<Contents>>;

  protected abstract make(file: ChangedFile, folded: boolean): Sheet;

  /** One page of what is found in all that is read, where that is more than the server finds in the context. */
  search?(asked: Asked, cursor: string | null, signal: AbortSignal): Promise<Result<HitPage>>;

  /** Where a comment on these lines of a sheet goes; in words, why it can go nowhere. */
  aim(_sheet: Sheet, lines: Lines | null): Lines | null | string {
    return lines;
  }

  /** Whether a file can be marked as reviewed. */
  markable(_file: ChangedFile): boolean {
    return true;
  }

  /** What to hide, given what the reader hides anyway. Read inside an effect. */
  quietly(hide: Frame["quiet"]): Frame["quiet"] {
    return hide;
  }

  /** The reviewed hunks of a file, as far as they are shown as such. */
  protected hunksOf(file: ChangedFile): Hunks {
    return this.marks.hunksOf(file);
  }

  /** Where a note stands among these lines. */
  protected placed(_file: string, note: Note): Note {
    return note;
  }

  /** The address of what changed since a file was reviewed; null where that is what is read. */
  private deltaOf(file: ChangedFile): string | null {
    const { contextId: context, scope } = this;
    const from = this.marks.reviewedIn(file);
    return from && from !== this.from ? formatRoute({ page: "review", context, scope, from, spot: { file: file.id, line: null } }) : null;
  }

  /** Follow marks and threads from now on; called once, when everything else is there. */
  protected follow(): void {
    effect(() => {
      const [notes, files] = [threadNotes(this.threads), this.files.value];
      for (const [file, drafts] of this.draftNotes.value) notes.set(file, [...(notes.get(file) ?? []), ...drafts]);
      for (const [file, all] of notes) notes.set(file, all.map((note) => this.placed(file, note)));
      untracked(() => this.showNotes(notes, files));
    });
    effect(() => this.showMarks(this.files.value));
  }

  private showNotes(notes: ReadonlyMap<string, readonly Note[]>, files: readonly ChangedFile[]): void {
    const before = this.notes;
    this.notes = notes;
    for (const { id } of files) {
      const sheet = this.known.get(id);
      if (!sheet || sameNotes(before.get(id), notes.get(id))) continue;
      const set = (): void => sheet.setNotes(notes.get(id) ?? []);
      if (this.drawing) this.drawing.change(sheet, set);
      else set();
    }
  }

  private showMarks(files: readonly ChangedFile[]): void {
    for (const file of files) {
      const [sheet, mark, hunks] = [this.known.get(file.id), this.marks.of(file), this.hunksOf(file)];
      if (!sheet || sheet.mark === "off" || (mark === sheet.mark && hunks === sheet.seenHunks)) continue;
      this.setMark(sheet);
      this.drawing?.showMarks(sheet);
    }
  }

  private setMark(sheet: Sheet): void {
    const { file } = sheet;
    sheet.mark = this.markable(file) ? this.marks.of(file) : "off";
    sheet.seenHunks = this.hunksOf(file);
    sheet.delta = sheet.mark === "changed" ? this.deltaOf(file) : null;
  }

  want(sheets: readonly Sheet[]): void {
    this.loader.want(sheets.map(({ file }) => ({ id: file.id, bytes: file.patch.bytes })));
  }

  retryPatches(): void {
    if (!this.patchFailure.peek()) return;
    this.patchFailure.value = null;
    this.loader.retry();
  }

  /** Have a file's contents; false where they cannot be had. */
  contentsOf(sheet: Sheet): Promise<boolean> {
    if (sheet.contents) return Promise.resolve(true);
    let fetching = this.fetched.get(sheet);
    if (!fetching) {
      fetching = this.fetchContents(sheet);
      this.fetched.set(sheet, fetching);
    }
    return fetching;
  }

  /** Colour a file: from its top where a hunk may start inside a string or a comment. */
  colour(sheet: Sheet): void {
    if (this.asked.has(sheet) || !sheet.patch) return;
    this.asked.add(sheet);
    this.colouring = this.colouring.then(async () => {
      // Scrolled past before its turn came: it is asked for again when it is back.
      if (!sheet.patch || !this.drawing?.shows(sheet)) return void this.asked.delete(sheet);
      if (this.startsInside(sheet)) await this.contentsOf(sheet);
      const whole = wholeTexts(sheet);
      await this.setTokens(sheet, whole ?? sideTexts(sheet.full ?? sheet.patch), whole !== null);
    });
  }

  private async setTokens(sheet: Sheet, sides: { old: string; new: string }, whole: boolean): Promise<void> {
    const { full } = sheet;
    const tokens = await this.colours.tokens(sheet.file.path, sides);
    if (!tokens || sheet.full !== full) return;
    sheet.tokens = { ...tokens, whole };
    this.drawing?.refresh(sheet, false);
  }

  /** Whether a hunk may start in the middle of a string or a comment. */
  private startsInside({ patch, file }: Sheet): boolean {
    const size = Math.max(file.before?.size ?? 0, file.after?.size ?? 0);
    const stored = (file.before?.available ?? true) && (file.after?.available ?? true);
    return !!patch?.hunks.some((hunk) => patch.newLine[hunk] > 1) && stored && size <= WHOLE_COLOURS;
  }

  private async fetchContents(sheet: Sheet): Promise<boolean> {
    const result = await this.textsOf(sheet.file);
    if (!result.ok) {
      this.fetched.delete(sheet);
      this.patchFailure.value = result.failure;
      return false;
    }
    const contents = result.value;
    if (!contents.before && !contents.after) return false;
    sheet.setContents(contents);
    this.drawing?.refresh(sheet);
    return true;
  }

  protected arrived(patches: PatchPage["patches"]): void {
    const files = new Map(this.files.peek().map((file) => [file.id, file]));
    for (const { fileId, patch } of patches) {
      const file = files.get(fileId);
      if (!file || patch === null) continue;
      const sheet = this.sheetOf(file);
      if (sheet.patch) continue;
      sheet.load(patch);
      this.loaded.push(sheet);
      this.drawing?.refresh(sheet);
    }
    this.forgetOldest();
  }

  private forgetOldest(): void {
    let spare = this.loaded.length - KEPT_PATCHES;
    while (spare-- > 0) {
      const sheet = this.loaded.shift();
      if (!sheet) return;
      if (this.drawing?.shows(sheet)) this.loaded.push(sheet);
      else {
        sheet.unload();
        this.asked.delete(sheet);
      }
    }
  }

  private sheetOf(file: ChangedFile): Sheet {
    let sheet = this.known.get(file.id);
    if (!sheet) {
      const only = this.files.peek().length === 1;
      const notes = this.notes.get(file.id) ?? [];
      const spokenOf = this.threads.openCounts.peek().has(file.id) || notes.some(({ key }) => !key.startsWith(THREAD));
      sheet = this.make(file, !only && !spokenOf && (foldedAtFirst(file) || this.marks.isReviewed(file)));
      this.setMark(sheet);
      sheet.setNotes(notes);
      this.known.set(file.id, sheet);
    }
    return sheet;
  }
}

/** Noise starts folded; so does a deleted file, of which there is nothing left to improve. */
export function foldedAtFirst(file: ChangedFile): boolean {
  return !!file.noise || file.status === "D";
}

/** Both sides in full, if they are here; a side that does not exist is empty. */
function wholeTexts({ contents, file }: Sheet): { old: string; new: string } | null {
  if (!contents || (file.before && !contents.before) || (file.after && !contents.after)) return null;
  return { old: (contents.before ?? []).join("\n"), new: (contents.after ?? []).join("\n") };
}

/** Lines end at "\n" only; the last one need not. */
export function linesOf(text: string | null | undefined): readonly string[] | null {
  if (text === null || text === undefined) return null;
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}
