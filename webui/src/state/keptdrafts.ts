/** Drafts on the server, where every browser and every port finds them. */
import { call, type Result } from "../api/client.ts";
import type { Server, Told } from "./drafts.ts";

export function serverOf(contextId: string): Server {
  return {
    async list() {
      const answer = await call("listDrafts", { path: { contextId } });
      return answer.ok ? answer.value.drafts : null;
    },
    // Even while the page is being left.
    keep: async ({ key, text, id }) =>
      told(await call("putDraft", { path: { contextId, draftKey: key }, body: { body: text, idempotencyKey: id }, keepalive: true })),
    drop: async (key) => told(await call("deleteDraft", { path: { contextId, draftKey: key }, keepalive: true })),
  };
}

function told(answer: Result<unknown>): Told {
  if (answer.ok) return "known";
  // A server that is busy, or breaks, may take it later.
  return answer.failure.status >= 400 && answer.failure.status < 500 ? "refused" : "lost";
}
