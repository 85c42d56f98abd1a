/** A box to write in. What is typed is kept as it is typed; only saving or throwing away ends it. */
import "./shared.ts";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Failure } from "../api/client.ts";
import { type Draft, draftsOf } from "../state/drafts.ts";
import type { Reading } from "../state/reading.ts";
import { send as sendDraft } from "../state/saying.ts";
import { isField } from "./ahead.ts";

export interface ComposerProps {
  readonly review: Reading;
  readonly draft: Draft;
  readonly label: string;
  readonly save: string;
  /** What the text was before; closing asks nothing while it is that. */
  readonly original?: string;
  readonly say: (words: string) => void;
}

const SAVE_KEY = /Mac|iP/.test(navigator.platform) ? "⌘ Enter" : "Ctrl Enter";

export function Composer({ review, draft, label, save, original = "", say }: ComposerProps) {
  const drafts = draftsOf(review.contextId);
  const [state, setState] = useState<Failure | "saving" | "sure" | null>(null);
  const box = useRef<HTMLTextAreaElement>(null);
  const wanted = drafts.wanted.value === draft.key;
  const untouched = !draft.text.trim() || draft.text === original;
  useLayoutEffect(() => {
    if (!wanted) return;
    box.current?.focus({ preventScroll: true });
    box.current?.setSelectionRange(draft.text.length, draft.text.length);
    drafts.wanted.value = null;
  }, [wanted]);
  useLayoutEffect(() => fit(box.current), [draft.text]);

  const send = async (): Promise<void> => {
    if (!draft.text.trim() || state === "saving") return;
    setState("saving");
    const failure = await sendDraft(review.threads, drafts, draft);
    setState(failure);
    if (failure) return;
    say("Comment saved");
    // Another comment may have been begun meanwhile, or this one gone on with: its focus is not taken.
    const { activeElement: at } = document;
    if (!drafts.of(draft.target) && (at === box.current || !isField(at))) backToDiff();
  };
  const close = (): void => {
    drafts.close(draft.key);
    backToDiff();
  };
  const pressed = (event: KeyboardEvent): void => {
    if (event.isComposing) return;
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      void send();
    } else if (event.key === "Escape") {
      event.preventDefault();
      event.stopPropagation();
      if (untouched) return close();
      backToDiff();
      say("The draft is kept");
    }
  };
  return (
    <form class="composer" onSubmit={(event) => { event.preventDefault(); void send(); }} onKeyDown={pressed}>
      <label><span class="composer-label">{label}</span>
        <textarea ref={box} rows={3} value={draft.text} maxLength={20_000} dir="auto"
          onInput={(event) => { drafts.write(draft.key, event.currentTarget.value); setState(null); }} />
      </label>
      <div class="composer-bar">
        {state === "sure"
          ? <Sure question="Throw the text away?" yes="Throw away" run={close} no={() => setState(null)} />
          : <>
            <button type="submit" class="primary" disabled={!draft.text.trim() || state === "saving"}>{save}</button>
            <button type="button" class="quiet" onClick={() => (untouched ? close() : setState("sure"))}>{untouched ? "Cancel" : "Discard"}</button>
            <span class="grow" />
            <span class="hint">{draft.text.trim() ? keptWords(drafts.fleeting.value) : ""}<kbd>{SAVE_KEY}</kbd></span>
          </>}
      </div>
      {state && typeof state === "object" && <p class="failed" role="alert">Not saved: {state.detail} Your text is kept; try again.</p>}
    </form>
  );
}

/** A question in place, instead of a dialog. */
export function Sure({ question, yes, run, no }: { question: string; yes: string; run: () => void; no: () => void }) {
  const first = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => first.current?.focus({ preventScroll: true }), []);
  return (
    <span class="sure" role="group" aria-label={question}
      onKeyDown={(event) => { if (event.key === "Escape") { event.preventDefault(); event.stopPropagation(); no(); } }}>
      {question}
      <button type="button" class="danger" ref={first} onClick={run}>{yes}</button>
      <button type="button" onClick={no}>Keep</button>
    </span>
  );
}

function keptWords(fleeting: boolean): string {
  return fleeting ? "kept only while this page is open" : "draft kept";
}

function fit(box: HTMLTextAreaElement | null): void {
  if (!box) return;
  box.style.height = "auto";
  box.style.height = `${Math.min(480, box.scrollHeight + 2)}px`;
}

export function backToDiff(): void {
  document.querySelector<HTMLElement>(".diff")?.focus({ preventScroll: true });
}
