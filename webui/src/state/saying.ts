/** Saying something about a review: what was written is sent, and is a draft until the server has it. */
import { call, type Failure, type Result } from "../api/client.ts";
import type { Thread } from "../api/types.gen.ts";
import type { Draft, Drafts } from "./drafts.ts";
import type { Threads } from "./threads.ts";

const SAVED_BEFORE = "What you wrote first was saved meanwhile. Save again to add this too, or discard it.";

/** Send a draft; answers what failed. The draft ends when the server has every word of it. */
export async function send(threads: Threads, drafts: Drafts, draft: Draft): Promise<Failure | null> {
  const body = draft.text.trim();
  const result = await threads.writing(sendDraft(threads, draft, body));
  if (result.ok) {
    if (drafts.of(draft.target)?.text.trim() === body) drafts.close(draft.key);
    else drafts.renew(draft.key);
    return null;
  }
  if (result.failure.code !== "conflict") return result.failure;
  // The answer to an earlier try was lost, and the words have changed since.
  drafts.renew(draft.key);
  void threads.reload();
  return { ...result.failure, detail: SAVED_BEFORE };
}

function sendDraft({ contextId, scope }: Threads, { target, id }: Draft, body: string): Promise<Result<Thread>> {
  const path = { contextId };
  const words = { body, idempotencyKey: id };
  switch (target.kind) {
    case "lines": {
      const { file: fileId, side, start: startLine, end: endLine } = target;
      return call("addComment", { path, query: { scope: target.scope }, body: { ...words, fileId, side, startLine, endLine } });
    }
    case "file": return call("addComment", { path, query: { scope: target.scope }, body: { ...words, fileId: target.file } });
    case "reply": return call("addReply", { path: { ...path, commentId: target.thread }, query: { scope }, body: words });
    case "edit": return call("changeComment", { path: { ...path, commentId: target.thread }, query: { scope }, body: { body } });
    default: return call("addComment", { path, query: { scope }, body: words });
  }
}

export async function setStatus(threads: Threads, { id }: Thread, status: "open" | "resolved"): Promise<Failure | null> {
  const { contextId, scope } = threads;
  const request = call("changeComment", { path: { contextId, commentId: id }, query: { scope }, body: { status } });
  const result = await threads.writing(request);
  return result.ok ? null : result.failure;
}

export function remove(threads: Threads, { id }: Thread): Promise<Failure | null> {
  return threads.deleting(id, call("deleteComment", { path: { contextId: threads.contextId, commentId: id } }));
}
