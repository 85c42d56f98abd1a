/** What lies between two iterations, as a reader has it open. Marks, threads and drafts are the later one's. No DOM. */
import { computed, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import { call, type Failure, type Result } from "../api/client.ts";
import type { ChangedFile, ComparedFile, ContextComparison, FileInterdiff, HitPage, Manifest, PatchPage, WithheldReason } from "../api/types.gen.ts";
import type { Note } from "../diff/notes.ts";
import { type Contents, FILL, lineAt, type Lines } from "../diff/rows.ts";
import { type Frame, Sheet } from "../diff/sheet.ts";
import { asChanged, remarksOn, tagsOf, type Versions } from "./compared.ts";
import { type Asked, searchStored } from "./find.ts";
import { type Hunks, NO_HUNKS } from "./marks.ts";
import { type Colours, linesOf, Reading, type Stored } from "./reading.ts";
import { pictureNotes } from "./pictures.ts";
import type { Review } from "./review.ts";
import { findIn } from "./seek.ts";
import { dropUpstream, isUpstream, together, type Upstream } from "./upstream.ts";

const NONE: Upstream = { old: [], new: [] };
/** The cursor of the last page that is found: in what the later observation does not hold. */
const LOCAL = "local";
/** Files whose lines are asked for at once when all of them are needed. */
const MOST_ASKED = 200;
const FAR_AWAY = "This line is only in the earlier iteration. Comment on a line of the later one, or on the file (C).";
const NOT_LISTED = "This file is not among the changes of the later iteration. Open the earlier one to comment on it.";

export class Comparison extends Reading {
  readonly result: Signal<ContextComparison | null> = signal(null);
  /** Whether what only the base changed is shown. */
  readonly upstream = signal(false);
  readonly progress: Review["progress"];
  private readonly earlier: Signal<Manifest | null> = signal(null);
  private readonly interdiffs = new Map<string, FileInterdiff>();
  /** The longest line of each file, in characters. */
  private readonly widest = new Map<string, number>();
  /** Files of which the server would not send the lines. */
  private readonly refused: Signal<ReadonlyMap<string, WithheldReason>> = signal(new Map());
  private readonly compared: ReadonlySignal<ReadonlyMap<string, ComparedFile>> = computed(() =>
    new Map(this.result.value?.files.map((one) => [one.fileId, one])));
  private readonly versions: ReadonlySignal<(one: ComparedFile) => Versions> = computed(() =>
    versionsIn(this.earlier.value, this.review.manifest.value));
  /** Every file that is not the very same, upstream's among them. */
  private readonly all: ReadonlySignal<readonly ChangedFile[]> = computed(() => this.allFiles());
  private hidden: { readonly by: Frame["quiet"]; readonly all: Frame["quiet"] } | null = null;

  constructor(readonly review: Review, override readonly from: string, colours: Colours) {
    super(review, colours);
    this.progress = review.progress;
    this.follow();
  }

  async load(): Promise<void> {
    this.status.value = { kind: "loading" };
    const { contextId, from, scope } = this;
    const [result, earlier] = await Promise.all([
      call("compareContexts", { path: { contextId: from, otherContextId: contextId }, query: { scope } }),
      call("getManifest", { path: { contextId: from }, query: { scope } }),
    ]);
    const failure = this.failed(result) ?? this.failed(earlier);
    if (failure || !result.ok || !earlier.ok) return;
    this.earlier.value = earlier.value;
    this.result.value = result.value;
    this.status.value = { kind: "ready" };
  }

  /** How a file came out; undefined for one that is not compared. */
  fileOf({ id }: ChangedFile): ComparedFile | undefined {
    return this.compared.peek().get(id);
  }

  override markable(file: ChangedFile): boolean {
    return this.fileOf(file)?.state !== "gone";
  }

  /** Comments are written on the later iteration (8.1): a line goes where that has it. */
  override aim(sheet: Sheet, lines: Lines | null): Lines | null | string {
    const one = this.fileOf(sheet.file);
    if (!one || one.state === "gone") return NOT_LISTED;
    // A file that the earlier one does not list is shown beside its own base: the very sides of its change.
    if (!lines || lines.side === "new" || one.fromFileId === null) return lines;
    return newLines(sheet, lines) ?? FAR_AWAY;
  }

  override quietly(by: Frame["quiet"]): Frame["quiet"] {
    if (this.upstream.value) return by;
    // The same function for the same choice: another one would lay every file out anew.
    if (this.hidden?.by !== by) {
      const all: Frame["quiet"] = (patch, sheet) => together(dropUpstream(patch, this.upstreamOf(sheet.file.id)), by, sheet);
      this.hidden = { by, all };
    }
    return this.hidden?.all ?? by;
  }

  override async search(asked: Asked, cursor: string | null, signal: AbortSignal): Promise<Result<HitPage>> {
    if (cursor === LOCAL) return this.searchHere(asked);
    const page = await searchStored(this, asked, cursor, signal);
    if (!page.ok) return page;
    const shown = new Set(this.files.peek().map(({ id }) => id));
    const hits = page.value.hits.filter(({ fileId, side }) => {
      const one = this.compared.peek().get(fileId);
      return one && shown.has(fileId) && one.state !== "gone" && (side !== "old" || one.fromFileId === null);
    });
    return { ok: true, value: { hits, nextCursor: page.value.nextCursor ?? LOCAL } };
  }

  storedAt({ id }: ChangedFile, side: "before" | "after"): Stored {
    const { contextId, from } = this;
    const one = this.compared.peek().get(id);
    const gone = one?.state === "gone";
    if (one?.fromFileId && (gone || side === "before")) {
      const there = gone && side === "after" ? "before" : "after";
      return { contextId: from, diffId: this.earlier.peek()?.diffId ?? "", fileId: one.fromFileId, side: there };
    }
    return { contextId, diffId: this.review.manifest.peek()?.diffId ?? "", fileId: id, side };
  }

  protected listed(): readonly ChangedFile[] {
    const shown = this.upstream.value;
    return this.all.value.filter((file) => shown || this.fileOf(file)?.state !== "upstream");
  }

  protected make(file: ChangedFile, folded: boolean): Sheet {
    const one = this.fileOf(file);
    const sheet = one ? new Sheet(file, remarksOn(one, file), folded, pictureNotes(file), tagsOf(one)) : new Sheet(file, [], folded);
    sheet.foreign = (row) => !!sheet.full && isUpstream(sheet.full, this.upstreamOf(file.id), row);
    return sheet;
  }

  /** What lies between two versions has no hunks of the stored patch. */
  protected override hunksOf(): Hunks {
    return NO_HUNKS;
  }

  protected override placed(file: string, note: Note): Note {
    const one = this.compared.value.get(file);
    return note.side === "old" && one?.fromFileId ? { ...note, side: "new", line: 0 } : note;
  }

  protected async patchesOf(ids: readonly string[]): Promise<Result<PatchPage>> {
    const asked = await this.fetch(ids.filter((id) => !this.interdiffs.has(id)));
    if (!asked.ok) return asked;
    const patches = ids.flatMap((fileId) => {
      const found = this.interdiffs.get(fileId);
      return found ? [{ fileId, patch: found.patch, reason: found.reason, encoding: "utf-8" as const }] : [];
    });
    return { ok: true, value: { patches, nextCursor: null } };
  }

  protected async textsOf({ id }: ChangedFile): Promise<Result<Contents>> {
    const one = this.compared.peek().get(id);
    const { contextId, from, scope } = this;
    const read = async (context: string, diffId: string | undefined, fileId: string | null): Promise<Result<Contents>> => {
      if (!fileId || !diffId) return { ok: true, value: { before: null, after: null } };
      const result = await call("getContents", { path: { contextId: context, diffId, fileId }, query: { scope } });
      if (!result.ok) return result;
      return { ok: true, value: { before: linesOf(result.value.before?.text), after: linesOf(result.value.after?.text) } };
    };
    const gone = one?.state === "gone";
    const [earlier, later] = await Promise.all([
      read(from, this.earlier.peek()?.diffId, one?.fromFileId ?? null),
      read(contextId, this.review.manifest.peek()?.diffId, gone ? null : id),
    ]);
    if (!earlier.ok || !later.ok) return earlier.ok ? later : earlier;
    const before = one?.fromFileId ? earlier.value.after : later.value.before;
    return { ok: true, value: { before, after: gone ? earlier.value.before : later.value.after } };
  }

  private failed(result: Result<unknown>): Failure | null {
    if (!result.ok) this.status.value = { kind: "failed", failure: result.failure };
    return result.ok ? null : result.failure;
  }

  private allFiles(): readonly ChangedFile[] {
    const [files, refused] = [this.result.value?.files ?? [], this.refused.value];
    if (!this.review.manifest.value) return [];
    const versions = this.versions.value;
    return files.filter(({ state }) => state !== "unchanged")
      .map((one) => asChanged(one, versions(one), refused.get(one.fileId) ?? one.reason, () => this.widest.get(one.fileId) ?? 0));
  }

  private upstreamOf(id: string): Upstream {
    return this.interdiffs.get(id)?.upstream ?? NONE;
  }

  /** Have the interdiffs of these files; those that one answer does not hold are left for the next. */
  private async fetch(ids: readonly string[]): Promise<Result<null>> {
    if (!ids.length) return { ok: true, value: null };
    const { contextId, from, scope } = this;
    const path = { contextId: from, otherContextId: contextId };
    const result = await call("compareFiles", { path, query: { scope, ids: ids.join(",") } });
    if (!result.ok) return result;
    for (const one of result.value.files) {
      this.interdiffs.set(one.file.fileId, one);
      this.widest.set(one.file.fileId, (one.patch ?? "").split("\n").reduce((most, { length }) => Math.max(most, length - 1), 0));
    }
    const withheld = result.value.files.filter(({ patch }) => patch === null);
    if (withheld.length) this.refuse(withheld.map(({ file, reason }) => [file.fileId, reason ?? "too-large"]));
    return { ok: true, value: null };
  }

  /** Their lines do not come after all: they are other files to show. */
  private refuse(withheld: ReadonlyArray<readonly [string, WithheldReason]>): void {
    for (const [id] of withheld) this.known.delete(id);
    this.refused.value = new Map([...this.refused.peek(), ...withheld]);
  }

  /** What the later observation does not hold: removed lines, and files that are no longer among the changes. */
  private async searchHere(asked: Asked): Promise<Result<HitPage>> {
    const files = this.files.peek();
    const missing = (): string[] => files.filter(({ id, patch }) => patch.available && !this.interdiffs.has(id)).map(({ id }) => id);
    for (let [ids, before] = [missing(), Infinity]; ids.length && ids.length < before; [before, ids] = [ids.length, missing()]) {
      const asked = await this.fetch(ids.slice(0, MOST_ASKED));
      if (!asked.ok) return asked;
    }
    const hits = files.flatMap((file) => {
      const [one, patch] = [this.fileOf(file), this.interdiffs.get(file.id)?.patch];
      const gone = one?.state === "gone";
      if (!gone && one?.fromFileId === null) return [];
      return findIn(file, patch ?? "", asked, gone, (full, row) => this.upstream.peek() || !isUpstream(full, this.upstreamOf(file.id), row));
    });
    return { ok: true, value: { hits, nextCursor: null } };
  }
}

/** How each compared file is listed by both observations. */
function versionsIn(earlier: Manifest | null, later: Manifest | null): (one: ComparedFile) => Versions {
  const [olds, news] = [earlier, later].map((manifest) => new Map(manifest?.files.map((file) => [file.id, file])));
  return ({ fileId, fromFileId, state }) => ({
    earlier: fromFileId === null ? undefined : olds.get(fromFileId),
    later: state === "gone" ? undefined : news.get(fileId),
  });
}

/** The same lines on the new side; null where one of them is not there. */
function newLines({ rows, patch }: Sheet, { start, end }: Lines): Lines | null {
  const found: number[] = [];
  for (let row = 0; rows && patch && row < rows.count; row++) {
    const line = lineAt(rows, patch, row, "old");
    if (line < start || line > end) continue;
    // Beside a removed line may stand another one that was added.
    const same = rows.kind[row] === FILL || rows.left[row] === rows.right[row];
    const there = same ? lineAt(rows, patch, row, "new") : 0;
    if (!there) return null;
    found.push(there);
  }
  return found.length ? { side: "new", start: found[0], end: found[found.length - 1] } : null;
}
