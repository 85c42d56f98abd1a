/** Marking files as reviewed, and taking it back (8.3). No DOM. */
import { call, type Failure } from "../api/client.ts";
import type { ChangedFile } from "../api/types.gen.ts";
import type { Marks, Seen } from "./marks.ts";

/** As many as a browser asks of one server at once, less one for what else is wanted. */
const AT_ONCE = 5;

const NO_STATE = "it was still changing when it was collected, so there is no fixed state to mark";

interface Done {
  readonly files: readonly ChangedFile[];
  readonly reviewed: boolean;
}

const last = new WeakMap<Marks, Done>();

/**
 * Mark files, or take their marks back. What happened shows at once and is undone where the
 * server refuses. Answers what to say of failures, or null.
 */
export async function setMarks(marks: Marks, files: readonly ChangedFile[], reviewed: boolean): Promise<string | null> {
  const wanted = files.filter((file) => marks.isReviewed(file) !== reviewed);
  const able = wanted.filter((file) => file.fingerprint || !reviewed);
  const problems = wanted.length > able.length ? [`Not marked: ${NO_STATE}.`] : [];
  last.set(marks, { files: able, reviewed: !reviewed });
  const before = marks.seen.peek();
  show(marks, able, (file) => reviewed ? { fileId: file.id, fingerprint: file.fingerprint ?? "", markedAt: Date.now(), carried: false } : undefined);
  const queue = [...able];
  const work = async (): Promise<void> => {
    for (let file = queue.shift(); file; file = queue.shift()) {
      const failure = await send(marks, file, reviewed);
      if (!failure) continue;
      problems.push(`${file.path} was not ${reviewed ? "marked" : "unmarked"}: ${failure.detail}`);
      show(marks, [file], ({ id }) => before.get(id));
    }
  };
  await marks.inTurn(async () => void await Promise.all(Array.from({ length: AT_ONCE }, work)));
  return problems.length > 1 ? `${problems[0]} (and ${problems.length - 1} more)` : problems[0] ?? null;
}

/** Undo the last change of marks; tells what it was about, or null where there is none. */
export async function undoMarks(marks: Marks): Promise<(Done & { readonly problem: string | null }) | null> {
  const done = last.get(marks);
  if (!done?.files.length) return null;
  return { ...done, problem: await setMarks(marks, done.files, done.reviewed) };
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
