/** One scope of one context, as the reader has it open. No DOM. */
import { type Signal, signal } from "@preact/signals";
import { call, type Result } from "../api/client.ts";
import type { ChangedFile, Context, ContextSummary, Manifest, PatchPage, Scope } from "../api/types.gen.ts";
import type { Contents } from "../diff/rows.ts";
import { Sheet } from "../diff/sheet.ts";
import { Marks, progressOf } from "./marks.ts";
import { type Colours, linesOf, PART_MISSING, Reading, type Remarks, type Stored } from "./reading.ts";
import { Threads } from "./threads.ts";

const FIRST_PATCHES = 12;

export class Review extends Reading {
  readonly context: Signal<Context | null> = signal(null);
  readonly manifest: Signal<Manifest | null> = signal(null);
  /** A more recent observation of the same stream. */
  readonly newer: Signal<ContextSummary | null> = signal(null);
  /** Whether the server that answers now does not have it: another one, or another database. */
  readonly unknown = signal(false);
  readonly progress = progressOf(() => this.files.value, this.marks);
  private remarks: Remarks = () => ({ notices: [], notes: [] });
  private checksAsked = 0;

  constructor(contextId: string, scope: Scope, colours: Colours, private readonly loadRemarks: () => Promise<Remarks>) {
    const [marks, threads] = [new Marks(contextId, scope), new Threads(contextId, scope)];
    super({ contextId, scope, marks, threads, draftNotes: signal(new Map()) }, colours);
    this.follow();
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

  private async haveRemarks(): Promise<boolean> {
    try {
      this.remarks = await this.loadRemarks();
      return true;
    } catch {
      this.status.value = { kind: "failed", failure: PART_MISSING };
      return false;
    }
  }

  /** Learn what was reviewed meanwhile, here or elsewhere. */
  async reloadReview(): Promise<void> {
    if (this.status.peek().kind === "ready") await Promise.all([this.marks.reload(), this.threads.reload()]);
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
    if (again.ok || again.failure.status === 404) this.unknown.value = !again.ok;
    if (!again.ok) {
      if (again.failure.status === 410) this.status.value = { kind: "failed", failure: again.failure };
      return;
    }
    this.context.value = again.value;
    this.newer.value = again.value.latest ? null : await latestOf(again.value);
  }

  protected listed(): readonly ChangedFile[] {
    return this.manifest.value?.files ?? [];
  }

  protected patchesOf(ids: readonly string[]): Promise<Result<PatchPage>> {
    return call("listPatches", { path: this.diffPath(), query: { scope: this.scope, ids: ids.join(",") } });
  }

  protected async textsOf({ id }: ChangedFile): Promise<Result<Contents>> {
    const path = { ...this.diffPath(), fileId: id };
    const result = await call("getContents", { path, query: { scope: this.scope } });
    if (!result.ok) return result;
    const { before, after } = result.value;
    return { ok: true, value: { before: linesOf(before?.text), after: linesOf(after?.text) } };
  }

  protected make(file: ChangedFile, folded: boolean): Sheet {
    const { notices, notes } = this.remarks(file);
    return new Sheet(file, notices, folded, notes);
  }

  storedAt({ id }: ChangedFile, side: "before" | "after"): Stored {
    return { ...this.diffPath(), fileId: id, side };
  }

  private diffPath(): { contextId: string; diffId: string } {
    return { contextId: this.contextId, diffId: this.manifest.peek()?.diffId ?? "" };
  }
}

/** Whether a file's lines say all there is to say about it; anything else, remarks say. */
export function isPlain(file: ChangedFile): boolean {
  const { oldMode, newMode } = file;
  const mode = newMode ?? oldMode ?? "";
  return file.patch.available && !!file.rows?.unified && !file.damage && !file.conflict && !file.submodule && !file.repository
    && !file.before?.lfs && !file.after?.lfs && !mode.startsWith("120") && (!oldMode || !newMode || oldMode === newMode);
}

async function latestOf(context: Context): Promise<ContextSummary | null> {
  const { sourceId, repositoryKey, checkoutKey, branchId, comparison } = context.observation;
  const query = { sourceId: [sourceId], ...(repositoryKey ? { repository: [repositoryKey] } : {}), state: "latest", limit: 200 } as const;
  const result = await call("listContexts", { query });
  if (!result.ok) return null;
  return result.value.contexts.find(({ observation: other }) =>
    other.checkoutKey === checkoutKey && other.branchId === branchId && other.comparison.policy === comparison.policy) ?? null;
}
