/** Marking files and hunks as reviewed, and taking it back (8.3). No DOM. */
import { call, type Failure } from "../api/client.ts";
import type { ChangedFile } from "../api/types.gen.ts";
import { type Hunks, type Marks, NO_HUNKS, type Seen } from "./marks.ts";

/** As many as a browser asks of one server at once, less one for what else is wanted. */
const AT_ONCE = 5;

const NO_STATE = "it was still changing when it was collected, so there is no fixed state to mark";

interface Done {
  readonly files: readonly ChangedFile[];
  readonly reviewed: boolean;
  /** The hunk that it was about; null for whole files. */
  readonly hunk: number | null;
}

interface Undo extends Done {
  /** What had been reviewed of the files by hunk. */
  readonly partly: ReadonlyMap<string, Hunks>;
}

const last = new WeakMap<Marks, Undo>();

/**
 * Mark files, or take their marks back. What happened shows at once and is undone where the
 * server refuses. Answers what to say of failures, or null.
 */
export async function setMarks(marks: Marks, files: readonly ChangedFile[], reviewed: boolean): Promise<string | null> {
  const wanted = files.filter((file) => marks.isReviewed(file) !== reviewed);
  const able = wanted.filter((file) => file.fingerprint || !reviewed);
  const problems = wanted.length > able.length ? [`Not marked: ${NO_STATE}.`] : [];
  const [before, partly] = [marks.seen.peek(), marks.hunks.peek()];
  last.set(marks, { files: able, reviewed: !reviewed, hunk: null, partly });
  showHunks(marks, able, () => NO_HUNKS);
  show(marks, able, (file) => (reviewed ? seenNow(file) : undefined));
  const queue = [...able];
  const work = async (): Promise<void> => {
    for (let file = queue.shift(); file; file = queue.shift()) {
      const failure = await send(marks, file, reviewed);
      if (!failure) continue;
      problems.push(`${file.path} was not ${reviewed ? "marked" : "unmarked"}: ${failure.detail}`);
      show(marks, [file], ({ id }) => before.get(id));
      showHunks(marks, [file], ({ id }) => partly.get(id) ?? NO_HUNKS);
    }
  };
  await marks.inTurn(async () => void await Promise.all(Array.from({ length: AT_ONCE }, work)));
  return problems.length > 1 ? `${problems[0]} (and ${problems.length - 1} more)` : problems[0] ?? null;
}

/**
 * Mark one hunk, or take its mark back: the last one marks its file, and taking one of a reviewed
 * file back leaves its other hunks reviewed. Answers what to say of a failure, or null.
 */
export async function setHunk(marks: Marks, file: ChangedFile, hunk: number, reviewed: boolean): Promise<string | null> {
  if (!file.fingerprint) return `Not marked: ${NO_STATE}.`;
  const [before, partly] = [marks.seen.peek().get(file.id), marks.hunks.peek()];
  const all = file.rows?.hunks ?? 0;
  const hunks = new Set(marks.isReviewed(file) ? Array.from({ length: all }, (_, at) => at) : partly.get(file.id));
  if (reviewed) hunks.add(hunk);
  else hunks.delete(hunk);
  const whole = hunks.size === all;
  last.set(marks, { files: [file], reviewed: !reviewed, hunk, partly });
  show(marks, [file], () => (whole ? seenNow(file) : undefined));
  showHunks(marks, [file], () => (whole ? NO_HUNKS : hunks));
  let failure: Failure | null = null;
  await marks.inTurn(async () => { failure = await sendHunk(marks, file, hunk, reviewed); });
  if (!failure) return null;
  show(marks, [file], () => before);
  showHunks(marks, [file], ({ id }) => partly.get(id) ?? NO_HUNKS);
  void marks.reload(); // other hunks may have been marked meanwhile
  return `The hunk was not ${reviewed ? "marked" : "unmarked"}: ${(failure as Failure).detail}`;
}

/** Undo the last change of marks; tells what it was about, or null where there is none. */
export async function undoMarks(marks: Marks): Promise<(Done & { readonly problem: string | null }) | null> {
  const done = last.get(marks);
  if (!done?.files.length) return null;
  const { files, reviewed, hunk } = done;
  if (hunk !== null) return { ...done, problem: await setHunk(marks, files[0], hunk, reviewed) };
  let problem = await setMarks(marks, files, reviewed);
  const back = last.get(marks);
  // A file that had been reviewed in part is so again.
  for (const file of reviewed || problem ? [] : files) {
    for (const one of done.partly.get(file.id) ?? []) problem ??= await setHunk(marks, file, one, true);
  }
  if (back) last.set(marks, back);
  return { ...done, problem };
}

function seenNow({ id, fingerprint }: ChangedFile): Seen {
  return { fileId: id, fingerprint: fingerprint ?? "", markedAt: Date.now(), carried: false };
}

async function sendHunk({ contextId, scope }: Marks, { id, fingerprint }: ChangedFile, hunk: number, reviewed: boolean): Promise<Failure | null> {
  const path = { contextId, fileId: id, hunk };
  const result = reviewed
    ? await call("putHunkMark", { path, query: { scope }, body: { fingerprint: fingerprint ?? "" } })
    : await call("deleteHunkMark", { path, query: { scope } });
  return result.ok ? null : result.failure;
}

function showHunks(marks: Marks, files: readonly ChangedFile[], as: (file: ChangedFile) => Hunks): void {
  const shown = new Map(marks.hunks.peek());
  for (const file of files) {
    const hunks = as(file);
    if (hunks.size) shown.set(file.id, hunks);
    else shown.delete(file.id);
  }
  marks.hunks.value = shown;
}

async function send({ contextId, scope }: Marks, { id, fingerprint }: ChangedFile, reviewed: boolean): Promise<Failure | null> {
  const path = { contextId, fileId: id };
  const result = reviewed
    ? await call("putMark", { path, query: { scope }, body: { fingerprint: fingerprint ?? "" } })
    : await call("deleteMark", { path, query: { scope } });
  return result.ok ? null : result.failure;
}

function show(marks: Marks, files: readonly ChangedFile[], as: (file: ChangedFile) => Seen | undefined): void {
  const seen = new Map(marks.seen.peek());
  for (const file of files) {
    const mark = as(file);
    if (mark) seen.set(file.id, mark);
    else seen.delete(file.id);
  }
  marks.seen.value = seen;
}
