/** All comments of the review in one list, wherever they stand. */
import "./shared.ts";
import { useEffect, useRef, useState } from "preact/hooks";
import { addressOf } from "../api/client.ts";
import { ROUTES, type Thread } from "../api/types.gen.ts";
import { type Draft, draftsOf } from "../state/drafts.ts";
import type { Reading } from "../state/reading.ts";
import { authorWords, chosen, placeWords, type Which } from "../state/threadwords.ts";
import list from "../styles/comments.css?sheet";
import { plural } from "../text/format.ts";
import { backToDiff, Composer } from "./Composer.tsx";
import { wear } from "./Later.tsx";
import { type Choice, Icon, Segments, Text } from "./parts.tsx";
import { copyPrompt, firstLine, ThreadCard } from "./Thread.tsx";

wear(list);

export interface CommentsProps {
  readonly review: Reading;
  readonly say: (words: string) => void;
  readonly go: (thread: Thread) => boolean;
  readonly goOn: (draft: Draft) => void;
  readonly close: () => void;
}

export function Comments({ review, say, go, goOn, close }: CommentsProps) {
  const [which, setWhich] = useState<Which>("open");
  const panel = useRef<HTMLElement>(null);
  useEffect(() => panel.current?.focus(), []);
  const threads = review.threadsInOrder.value;
  const choices: Array<Choice<Which>> = (["open", "resolved", "all"] as const).map((value) => ({
    value, label: value[0].toUpperCase() + value.slice(1), note: String(chosen(threads, value).length),
  }));
  const shown = chosen(threads, which);
  const draft = draftsOf(review.contextId).of({ kind: "review", scope: review.scope });
  return (
    <aside class="list" aria-label="Comments" ref={panel} tabIndex={-1}
      onKeyDown={(event) => { if (event.key === "Escape" && !event.defaultPrevented) { event.preventDefault(); close(); backToDiff(); } }}>
      <header class="list-head"><h2>Comments</h2>
        <button type="button" class="quiet" aria-label="Close the comments" onClick={close}><Icon name="close" /></button></header>
      <div class="list-tools">
        <Segments label="Which comments" value={which} choices={choices} choose={setWhich} />
      </div>
      <div class="list-tools">
        <button type="button" onClick={() => draftsOf(review.contextId).start({ kind: "review", scope: review.scope })}>Comment on the review</button>
        <button type="button" onClick={() => void copyPrompt(review, say)} title="The open comments, as an agent wants them">Copy as prompt</button>
        <Export review={review} which={which} />
      </div>
      <div class="list-body">
        {draft && <div class="card"><Composer review={review} draft={draft} label="Comment on the whole review" save="Comment" say={say} /></div>}
        <Drafts review={review} goOn={goOn} />
        {!shown.length && !draft && <p class="list-none">{NONE[which]}</p>}
        <ul>
          {shown.map((thread) => (
            <li key={thread.id}>
              {thread.place.fileId === null ? <ThreadCard review={review} thread={thread} say={say} /> : <Item review={review} thread={thread} go={go} say={say} />}
            </li>
          ))}
        </ul>
      </div>
    </aside>
  );
}

const NONE: Readonly<Record<Which, string>> = {
  open: "No open comments. Click a line's number, or press c on a line, to write one.",
  resolved: "No comment is resolved yet.",
  all: "No comments yet. Click a line's number, or press c on a line, to write one.",
};

function Item({ review, thread, go, say }: { review: Reading; thread: Thread; go: (thread: Thread) => boolean; say: (words: string) => void }) {
  const path = thread.place.path ?? "";
  const name = path.slice(path.lastIndexOf("/", path.length - 2) + 1);
  const jump = (): void => {
    if (go(thread)) return;
    const left = review.from && !review.files.value.some(({ id }) => id === thread.place.fileId);
    say(left ? "The file of this comment is not shown between these two iterations; the whole review shows it" : "The file of this comment is hidden by the filter");
  };
  return (
    <button type="button" class="item" data-status={thread.status} onClick={jump} title={path}>
      <span class="item-place"><b><Text text={name} /></b> <span class="quiet-text">{placeWords(thread)}</span>
        {thread.ported && thread.place.placement !== "exact" && <span class="tag faint">{thread.place.placement}</span>}
        {thread.status === "resolved" && <span class="tag ok">resolved</span>}</span>
      <span class="item-words"><Text text={firstLine(thread.body)} /></span>
      <span class="quiet-text"><Text text={authorWords(thread.author)} />{thread.replies.length > 0 && `, ${plural(thread.replies.length, "reply", "replies")}`}</span>
    </button>
  );
}

/** What is being written elsewhere in this review, so that no draft is forgotten. */
function Drafts({ review, goOn }: { review: Reading; goOn: (draft: Draft) => void }) {
  const files = new Map(review.files.value.map((file) => [file.id, file.path]));
  const drafts = [...draftsOf(review.contextId).open.value.values()].filter(({ text, target }) => text.trim() && target.kind !== "review" && target.kind !== "summary");
  if (!drafts.length) return null;
  return (
    <section class="list-drafts" aria-label="Drafts">
      {drafts.map((draft) => {
        const { key, target, text } = draft;
        const place = "file" in target ? files.get(target.file) ?? `the ${target.scope} scope` : target.kind === "reply" ? "a reply" : "an edit";
        return (
          <button type="button" class="item" key={key} onClick={() => goOn(draft)} title="Go on writing">
            <span class="item-place"><span class="tag warn">draft</span> <b><Text text={place} /></b>{target.kind === "lines" && <span class="quiet-text"> line {target.end}</span>}</span>
            <span class="item-words"><Text text={firstLine(text)} /></span>
          </button>
        );
      })}
    </section>
  );
}

const FORMATS = [["xml", "XML, for agents"], ["markdown", "Markdown"], ["json", "JSON, to import"]] as const;
const ENDINGS = { xml: "xml", markdown: "md", json: "json" } as const;

function Export({ review, which }: { review: Reading; which: Which }) {
  const { contextId, scope } = review;
  const address = (format: (typeof FORMATS)[number][0]): string =>
    addressOf(ROUTES.exportComments[1], { contextId }, { scope, format, includeResolved: which !== "open" });
  return (
    <details class="export">
      <summary class="button">Export</summary>
      <div class="export-menu">
        {FORMATS.map(([format, words]) => (
          <a key={format} href={address(format)} download={`review.${ENDINGS[format]}`}>{words}</a>
        ))}
        <span class="quiet-text">{which === "open" ? "open comments" : "all comments"}</span>
      </div>
    </details>
  );
}
