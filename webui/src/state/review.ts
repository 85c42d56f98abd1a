/** One scope of one context, as the reader has it open. No DOM. */
import { computed, effect, type ReadonlySignal, type Signal, signal, untracked } from "@preact/signals";
import { call, type Failure } from "../api/client.ts";
import type { ChangedFile, Context, ContextSummary, Manifest, PatchPage, Scope } from "../api/types.gen.ts";
import type { Contents } from "../diff/rows.ts";
import type { Note } from "../diff/notes.ts";
import { type Notice, Sheet, sideTexts, type TokenSides } from "../diff/sheet.ts";
import { Marks, progressOf } from "./marks.ts";
import { PatchLoader } from "./patches.ts";
import { inOrder, sameNotes, THREAD, threadNotes, Threads } from "./threads.ts";
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

/** What draws a review; told when a sheet changed, asked what is on screen. */
export interface Drawing {
  refresh(sheet: Sheet, heights?: boolean): void;
  shows(sheet: Sheet): boolean;
  /** A sheet or some of its hunks were marked, or their marks taken back. */
  showMarks(sheet: Sheet): void;
  /** Make a change to what stands between a sheet's rows. */
  change(sheet: Sheet, act: () => void): void;
}

const FIRST_PATCHES = 12;
/** Patches kept in memory; the reader's place in the others is kept, their text is asked again. */
const KEPT_PATCHES = 400;
/** Files up to this size are coloured from their top, not from their hunks alone. */
const WHOLE_COLOURS = 300_000;

export class Review {
  readonly status: Signal<Status> = signal({ kind: "loading" });
  readonly context: Signal<Context | null> = signal(null);
  readonly manifest: Signal<Manifest | null> = signal(null);
  readonly filter = signal("");
  readonly closedFolders: Signal<ReadonlySet<string>> = signal(new Set());
  /** The file that is read: the cursor's, or where the reader scrolled to. */
  readonly reading: Signal<string | null> = signal(null);
  readonly patchFailure: Signal<Failure | null> = signal(null);
  /** A more recent observation of the same stream. */
  readonly newer: Signal<ContextSummary | null> = signal(null);

  readonly tree: ReadonlySignal<ReadonlyArray<Folder | Leaf>> = computed(() =>
    buildTree((this.manifest.value?.files ?? []).filter((file) => matches(file, this.filter.value))));
  readonly sheets: ReadonlySignal<readonly Sheet[]> = computed(() =>
    filesInOrder(this.tree.value).map((file) => this.sheetOf(file)));

  readonly marks: Marks;
  readonly threads: Threads;
  /** What is being written between the lines, by file. */
  readonly draftNotes: Signal<ReadonlyMap<string, readonly Note[]>> = signal(new Map());
  readonly threadsInOrder: ReadonlySignal<ReturnType<typeof inOrder>> = computed(() =>
    inOrder(this.threads.list.value, filesInOrder(this.tree.value)));
  readonly progress: ReturnType<typeof progressOf>;

  drawing: Drawing | null = null;
  private remarks: Remarks = () => ({ notices: [], notes: [] });
  /** Where the reader was when another scope was looked at. */
  position = 0;
  private readonly known = new Map<string, Sheet>();
  private notes: ReadonlyMap<string, readonly Note[]> = new Map();
  private readonly loaded: Sheet[] = [];
  private readonly asked = new Set<Sheet>();
  private readonly fetched = new Map<Sheet, Promise<boolean>>();
  private readonly loader: PatchLoader;
  private colouring: Promise<void> = Promise.resolve();
  private checksAsked = 0;

  constructor(
    readonly contextId: string, readonly scope: Scope, private readonly colours: Colours,
    private readonly loadRemarks: () => Promise<Remarks>,
  ) {
    this.marks = new Marks(contextId, scope);
    this.threads = new Threads(contextId, scope);
    this.progress = progressOf(() => this.manifest.value?.files ?? [], this.marks);
    effect(() => {
      const [notes, files] = [threadNotes(this.threads), this.manifest.value?.files ?? []];
      for (const [file, drafts] of this.draftNotes.value) notes.set(file, [...(notes.get(file) ?? []), ...drafts]);
      untracked(() => this.showNotes(notes, files));
    });
    effect(() => this.showMarks(this.manifest.value?.files ?? []));
    this.loader = new PatchLoader(
      (ids) => call("listPatches", { path: this.diffPath(), query: { scope, ids: ids.join(",") } }),
      (patches) => this.arrived(patches),
      ({ failure }) => { this.patchFailure.value = failure; },
    );
  }

  async load(): Promise<void> {
    this.status.value = { kind: "loading" };
    const { contextId, scope } = this;
    const result = await call("getView", { path: { contextId }, query: { scope, patches: FIRST_PATCHES } });
    if (!result.ok) {
      this.status.value = { kind: "failed", failure: result.failure };
      return;
    }
    const { context, manifest, marks, threads, patches } = result.value;
    if (!manifest.files.every(isPlain) && !(await this.haveRemarks())) return;
    this.marks.take(marks);
    this.threads.list.value = threads;
    this.context.value = context;
    this.manifest.value = manifest;
    this.arrived(patches.patches);
    this.status.value = { kind: "ready" };
    if (!context.latest) await this.checkFreshness();
  }

  /** Ask again for what could not be had. */
  retry(): Promise<void> | void {
    if (this.status.peek().kind === "failed") return this.load();
  }

  private async haveRemarks(): Promise<boolean> {
    try {
      this.remarks = await this.loadRemarks();
      return true;
    } catch {
      const detail = "A part of this page could not be loaded.";
      this.status.value = { kind: "failed", failure: { code: "offline", status: 0, detail, request: "GET /assets/" } };
      return false;
    }
  }

  /** Learn what was reviewed meanwhile, here or elsewhere. */
  async reloadReview(): Promise<void> {
    if (this.status.peek().kind === "ready") await Promise.all([this.marks.reload(), this.threads.reload()]);
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
      const [sheet, mark, hunks] = [this.known.get(file.id), this.marks.of(file), this.marks.hunksOf(file)];
      if (!sheet || (mark === sheet.mark && hunks === sheet.seenHunks)) continue;
      [sheet.mark, sheet.seenHunks] = [mark, hunks];
      this.drawing?.showMarks(sheet);
    }
  }

  /** See whether something newer came; what is being read stays. */
  async checkFreshness(): Promise<void> {
    // One at a time, and once more if asked meanwhile: an old answer must not undo a new one.
    this.checksAsked++;
    if (this.checksAsked > 1) return;
    while (this.checksAsked > 0) {
      this.checksAsked = 1;
      await this.checkOnce();
      this.checksAsked--;
    }
  }

  private async checkOnce(): Promise<void> {
    if (!this.context.peek()) return;
    const { contextId } = this;
    const again = await call("getContext", { path: { contextId } });
    if (!again.ok) {
      if (again.failure.status === 410) this.status.value = { kind: "failed", failure: again.failure };
      return;
    }
    this.context.value = again.value;
    this.newer.value = again.value.latest ? null : await latestOf(again.value);
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
    const path = { ...this.diffPath(), fileId: sheet.file.id };
    const result = await call("getContents", { path, query: { scope: this.scope } });
    if (!result.ok) {
      this.fetched.delete(sheet);
      this.patchFailure.value = result.failure;
      return false;
    }
    const contents: Contents = {
      before: linesOf(result.value.before?.text),
      after: linesOf(result.value.after?.text),
    };
    if (!contents.before && !contents.after) return false;
    sheet.setContents(contents);
    this.drawing?.refresh(sheet);
    return true;
  }

  private arrived(patches: PatchPage["patches"]): void {
    const files = new Map(this.manifest.peek()?.files.map((file) => [file.id, file]));
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
      const only = this.manifest.peek()?.files.length === 1;
      const notes = this.notes.get(file.id) ?? [];
      const spokenOf = this.threads.openCounts.peek().has(file.id) || notes.some(({ key }) => !key.startsWith(THREAD));
      const folded = !only && !spokenOf && (foldedAtFirst(file) || this.marks.isReviewed(file));
      const { notices, notes: own } = this.remarks(file);
      sheet = new Sheet(file, notices, folded, own);
      [sheet.mark, sheet.seenHunks] = [this.marks.of(file), this.marks.hunksOf(file)];
      sheet.setNotes(notes);
      this.known.set(file.id, sheet);
    }
    return sheet;
  }

  private diffPath(): { contextId: string; diffId: string } {
    return { contextId: this.contextId, diffId: this.manifest.peek()?.diffId ?? "" };
  }
}

/** Noise starts folded; so does a deleted file, of which there is nothing left to improve. */
export function foldedAtFirst(file: ChangedFile): boolean {
  return !!file.noise || file.status === "D";
}

/** Whether a file's lines say all there is to say about it; anything else, remarks say. */
export function isPlain(file: ChangedFile): boolean {
  const { oldMode, newMode } = file;
  const mode = newMode ?? oldMode ?? "";
  return file.patch.available && !!file.rows?.unified && !file.damage && !file.conflict && !file.submodule && !file.repository
    && !file.before?.lfs && !file.after?.lfs && !mode.startsWith("120") && (!oldMode || !newMode || oldMode === newMode);
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

async function latestOf(context: Context): Promise<ContextSummary | null> {
  const { sourceId, repositoryKey, checkoutKey, branchId, comparison } = context.observation;
  const query = { sourceId: [sourceId], ...(repositoryKey ? { repository: [repositoryKey] } : {}), state: "latest", limit: 200 } as const;
  const result = await call("listContexts", { query });
  if (!result.ok) return null;
  return result.value.contexts.find(({ observation: other }) =>
    other.checkoutKey === checkoutKey && other.branchId === branchId && other.comparison.policy === comparison.policy) ?? null;
}
