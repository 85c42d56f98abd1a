/** The end of a review: a verdict, and a word about all of it. */
import "./shared.ts";
import { useEffect, useRef, useState } from "preact/hooks";
import { call, type Failure } from "../api/client.ts";
import type { Operations } from "../api/types.gen.ts";
import { draftsOf } from "../state/drafts.ts";
import type { Reading } from "../state/reading.ts";
import list from "../styles/comments.css?sheet";
import dialogs from "../styles/dialogs.css?sheet";
import { plural } from "../text/format.ts";
import { wear } from "./Later.tsx";
import { Icon } from "./parts.tsx";

wear(dialogs);
wear(list);

type Verdict = Operations["finishReview"]["body"]["verdict"];

const VERDICTS: ReadonlyArray<readonly [Verdict, string, string]> = [
  ["approve", "Approve", "Nothing more to do"],
  ["request-changes", "Request changes", "The open comments should be dealt with first"],
  ["comment", "Comment", "Feedback without a verdict"],
];

export function Finish({ review, say, close }: { review: Reading; say: (words: string) => void; close: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const open = review.threads.list.value.filter(({ status }) => status === "open").length;
  const [verdict, setVerdict] = useState<Verdict>(open ? "request-changes" : "approve");
  const [failure, setFailure] = useState<Failure | null>(null);
  const [busy, setBusy] = useState(false);
  const drafts = draftsOf(review.contextId);
  const [draft] = useState(() => drafts.of({ kind: "summary" }) ?? drafts.start({ kind: "summary" }));
  const text = drafts.of({ kind: "summary" })?.text ?? draft.text;
  useEffect(() => dialog.current?.showModal(), []);
  const { done, all } = review.progress.value;

  const finish = async (): Promise<void> => {
    if (busy) return;
    setBusy(true);
    const summary = text.trim();
    const path = { contextId: review.contextId };
    const result = await call("finishReview", { path, body: { verdict, ...(summary ? { summary } : {}) } });
    setBusy(false);
    if (!result.ok) return setFailure(result.failure);
    drafts.close(draft.key);
    say(`Review finished: ${VERDICTS.find(([value]) => value === verdict)?.[1].toLowerCase()}`);
    close();
  };
  return (
    <dialog ref={dialog} class="help finish" aria-labelledby="finish-title" onClose={close}
      onClick={(event) => { if (event.target === dialog.current) dialog.current?.close(); }}>
      <form onSubmit={(event) => { event.preventDefault(); void finish(); }}
        onKeyDown={(event) => { if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); void finish(); } }}>
        <header><h2 id="finish-title">Finish the review</h2>
          <button type="button" class="quiet" aria-label="Close" onClick={() => dialog.current?.close()}><Icon name="close" /></button></header>
        <p class="finish-state">{done} of {plural(all, "file")} reviewed, {plural(open, "open comment")}{unsent(review)}</p>
        <fieldset class="verdicts"><legend class="sr-only">Verdict</legend>
          {VERDICTS.map(([value, words, more]) => (
            <label key={value} class={verdict === value ? "verdict chosen" : "verdict"}>
              <input type="radio" name="verdict" value={value} checked={verdict === value} autofocus={verdict === value} onChange={() => setVerdict(value)} />
              <span><b>{words}</b><br /><span class="quiet-text">{more}</span></span>
            </label>
          ))}
        </fieldset>
        <label class="summary"><span class="quiet-text">Summary, if you like</span>
          <textarea rows={4} value={text} maxLength={20_000} dir="auto" readOnly={busy} onInput={(event) => writeSummary(review, event.currentTarget.value)} /></label>
        {failure && <p class="failed" role="alert">Not finished: {failure.detail} Your summary is kept; try again.</p>}
        <p class="finish-bar"><button type="submit" class="primary" disabled={busy}>Finish</button></p>
      </form>
    </dialog>
  );
}

function writeSummary({ contextId }: Reading, text: string): void {
  const drafts = draftsOf(contextId);
  const draft = drafts.of({ kind: "summary" }) ?? drafts.start({ kind: "summary" });
  drafts.write(draft.key, text);
}

function unsent({ contextId }: Reading): string {
  const count = [...draftsOf(contextId).open.value.values()].filter(({ text, target }) => text.trim() && target.kind !== "summary").length;
  return count ? `, ${plural(count, "draft")} not saved yet` : "";
}
