/** A thread: what was said about lines, a file or the review, and what can be done about it. */
import "./shared.ts";
import { render } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { callForText } from "../api/client.ts";
import type { Author, Thread } from "../api/types.gen.ts";
import { draftsOf } from "../state/drafts.ts";
import type { Reading } from "../state/reading.ts";
import { formatRoute, type Spot } from "../state/route.ts";
import { remove as removeThread, setStatus } from "../state/saying.ts";
import { comparisonRoute, nameOf, streamOf } from "../state/stream.ts";
import { THREAD } from "../state/threads.ts";
import { authorWords, placeWords } from "../state/threadwords.ts";
import notes from "../styles/notes.css?sheet";
import { linesWords } from "../text/lines.ts";
import { moment, plural, relative } from "../text/format.ts";
import { backToDiff, Composer, Sure } from "./Composer.tsx";
import { useNow } from "./clock.ts";
import { copy } from "./copy.ts";
import { wear } from "./Later.tsx";
import { Icon, Text } from "./parts.tsx";

wear(notes);

export interface NoteProps {
  readonly review: Reading;
  readonly name: string;
  readonly say: (words: string) => void;
}

export function drawNote(into: HTMLElement, props: NoteProps): void {
  render(<Note {...props} />, into);
}

function Note({ review, name, say }: NoteProps) {
  if (name.startsWith(THREAD)) {
    const thread = review.threads.list.value.find(({ id }) => THREAD + id === name);
    return thread ? <ThreadCard review={review} thread={thread} say={say} /> : null;
  }
  const draft = draftsOf(review.contextId).open.value.get(name);
  if (!draft) return null;
  const { target } = draft;
  const where = target.kind === "lines" ? linesWords(target.side, target.start, target.end) : "the file";
  return <div class="card"><Composer review={review} draft={draft} label={`Comment on ${where}`} save="Comment" say={say} /></div>;
}

export interface ThreadProps {
  readonly review: Reading;
  readonly thread: Thread;
  readonly say: (words: string) => void;
}

export function ThreadCard({ review, thread, say }: ThreadProps) {
  const card = useRef<HTMLElement>(null);
  const small = thread.status === "resolved" && !review.threads.opened.value.has(thread.id);
  const wanted = review.threads.wanted.value === thread.id;
  useLayoutEffect(() => {
    if (!wanted) return;
    card.current?.focus({ preventScroll: true });
    review.threads.wanted.value = null;
  }, [wanted]);
  return (
    <section class={small ? "card thread small" : "card thread"} data-status={thread.status} ref={card} tabIndex={-1} data-thread={thread.id}
      aria-label={`Comment on ${placeWords(thread)} by ${authorWords(thread.author)}, ${thread.status}`}>
      {small ? <Folded review={review} thread={thread} /> : <Whole review={review} thread={thread} say={say} />}
    </section>
  );
}

function Folded({ review, thread }: Omit<ThreadProps, "say">) {
  return (
    <button type="button" class="quiet resolved-line" aria-expanded="false" onClick={() => review.threads.toggleOpened(thread.id)}>
      <Icon name="tick" /><b>Resolved</b>
      <span class="snippet"><Text text={`${authorWords(thread.author)}: ${firstLine(thread.body)}`} /></span>
      {thread.replies.length > 0 && <span class="quiet-text">{plural(thread.replies.length, "reply", "replies")}</span>}
    </button>
  );
}

function Whole({ review, thread, say }: ThreadProps) {
  const drafts = draftsOf(review.contextId);
  const reply = drafts.of({ kind: "reply", thread: thread.id });
  const edit = drafts.of({ kind: "edit", thread: thread.id });
  return (
    <>
      <header class="said-head">
        <Who author={thread.author} at={thread.createdAt} edited={thread.editedAt} />
        <span class="where">{placeWords(thread)}</span>
        <Standing review={review} thread={thread} />
        <span class="grow" />
        {thread.status === "resolved" && (
          <button type="button" class="quiet" aria-expanded="true" onClick={() => review.threads.toggleOpened(thread.id)}>Fold</button>
        )}
      </header>
      {thread.code !== null && thread.place.placement !== "exact" && thread.place.placement !== "moved" && <Quote code={thread.code} />}
      {edit ? <Composer review={review} draft={edit} label="Edit the comment" save="Save" original={thread.body} say={say} /> : <Words text={thread.body} />}
      {thread.replies.map(({ id, author, body, createdAt, editedAt }) => (
        <div class="reply" key={id}>
          <header class="said-head"><Who author={author} at={createdAt} edited={editedAt} /></header>
          <Words text={body} />
        </div>
      ))}
      {thread.status === "resolved" && <p class="quiet-text settled"><Icon name="tick" />{resolvedWords(thread)}</p>}
      {reply ? <Composer review={review} draft={reply} label={`Reply to ${authorWords(thread.author)}`} save="Reply" say={say} />
        : <Actions review={review} thread={thread} say={say} />}
    </>
  );
}

function Actions({ review, thread, say }: ThreadProps) {
  const [sure, setSure] = useState(false);
  const { threads } = review;
  const drafts = draftsOf(review.contextId);
  const settle = async (): Promise<void> => {
    const open = thread.status === "open";
    const failure = await setStatus(threads, thread, open ? "resolved" : "open");
    say(failure ? `Not ${open ? "resolved" : "reopened"}: ${failure.detail}` : open ? "Resolved" : "Reopened");
  };
  const remove = async (): Promise<void> => {
    const failure = await removeThread(threads, thread);
    say(failure ? `Not deleted: ${failure.detail}` : "Comment deleted");
    backToDiff();
  };
  if (sure) {
    const all = thread.replies.length ? ` with ${plural(thread.replies.length, "reply", "replies")}` : "";
    return <div class="thread-bar"><Sure question={`Delete this comment${all}?`} yes="Delete" run={() => void remove()} no={() => setSure(false)} /></div>;
  }
  return (
    <div class="thread-bar">
      <button type="button" title="Reply (r)" onClick={() => drafts.start({ kind: "reply", thread: thread.id })}>Reply</button>
      <button type="button" onClick={() => void settle()}>{thread.status === "open" ? "Resolve" : "Reopen"}</button>
      <span class="grow" />
      <button type="button" class="quiet" title="Copy as a prompt for an agent" onClick={() => void copyPrompt(review, say, thread.id)}>Copy</button>
      {isMine(thread.author) && <button type="button" class="quiet" title="Edit (e)" onClick={() => drafts.start({ kind: "edit", thread: thread.id }, thread.body)}>Edit</button>}
      <button type="button" class="quiet" onClick={() => setSure(true)}>Delete</button>
    </div>
  );
}

function Who({ author, at, edited }: { author: Author; at: number; edited: number | null }) {
  const now = useNow();
  return (
    <>
      <b class="who"><Text text={authorWords(author)} /></b>
      {author.kind === "agent" && <span class="tag faint">agent</span>}
      {author.kind === "import" && <span class="tag faint">imported</span>}
      <time class="quiet-text" dateTime={new Date(at).toISOString()} title={moment(at)}>{relative(at, now)}{edited !== null && ", edited"}</time>
    </>
  );
}

/** How a thread that was written on an earlier iteration came to stand here. */
const PLACED: Readonly<Record<Thread["place"]["placement"], string>> = {
  exact: "on the same lines", moved: "moved with its lines", drifted: "its lines changed", outdated: "outdated",
};

/** How a thread came to stand here, the way to where it was written, and to what changed since. */
function Standing({ review, thread }: { review: Reading; thread: Thread }) {
  const { placement, fileId, lines: here } = thread.place;
  const { fileId: file, lines: there } = thread.anchor;
  const origin = formatRoute({ page: "review", context: thread.contextId, scope: thread.scope, spot: spotOf(file, there) });
  const shown = placement !== "exact" || (thread.ported && there);
  return (
    <>
      {shown && <span class={`tag ${placement === "moved" || placement === "exact" ? "faint" : "warn"}`}>{PLACED[placement]}</span>}
      {thread.ported && <Origin review={review} thread={thread} origin={origin} spot={spotOf(fileId, here)} />}
      {!thread.ported && thread.applicability === "other-scope" && <a class="origin" href={origin} data-link>written on {thread.scope}</a>}
    </>
  );
}

function Origin({ review, thread, origin, spot }: { review: Reading; thread: Thread; origin: string; spot: Spot | null }) {
  const { contextId, scope, from } = review;
  const stream = streamOf(contextId);
  const written = stream.find(thread.contextId);
  if (stream.list.value && !written) return <span class="quiet-text">from an iteration that is no longer stored</span>;
  return (
    <>
      <a class="origin" href={origin} data-link>from {written ? nameOf(written) : "an earlier iteration"}</a>
      {from !== thread.contextId && thread.scope === scope
        && <a class="origin" href={formatRoute(comparisonRoute(thread.contextId, contextId, scope, spot))} data-link>what changed since</a>}
    </>
  );
}

function spotOf(file: string | null, lines: Thread["place"]["lines"]): Spot | null {
  return file === null ? null : { file, line: lines && { side: lines.side, number: lines.endLine } };
}

function Quote({ code }: { code: string }) {
  return (
    <figure class="quote"><figcaption>The lines it was written on</figcaption>
      <pre>{lines(code.replace(/\n$/, "")).slice(0, 30)}</pre></figure>
  );
}

/** What somebody wrote: text, and nothing but text. */
export function Words({ text }: { text: string }) {
  return <p class="words" dir="auto">{lines(text)}</p>;
}

function lines(text: string) {
  return text.split(/\r?\n/).flatMap((line, at) => (at ? ["\n", <Text key={at} text={line} />] : [<Text key={at} text={line} />]));
}

export function firstLine(text: string): string {
  return text.trimStart().split("\n", 1)[0].slice(0, 200);
}

function isMine({ kind }: Author): boolean {
  return kind === "account";
}

function resolvedWords({ resolution, resolvedBy }: Thread): string {
  const how = resolution ? ` as ${resolution.replace("wont-fix", "not to be fixed")}` : "";
  return `Resolved${how}${resolvedBy ? ` by ${authorWords(resolvedBy)}` : ""}`;
}

/** Put threads on the clipboard as an agent wants them: one, or all that are open. */
export async function copyPrompt({ contextId, scope }: Reading, say: (words: string) => void, commentId?: string): Promise<void> {
  const query = { scope, format: "xml", ...(commentId ? { commentId } : {}) } as const;
  const text = await callForText("exportComments", { path: { contextId }, query });
  if (!text.ok) return say(`Not copied: ${text.failure.detail}`);
  await copy(text.value, commentId ? "The comment" : "The open comments", say);
}

/** The thread that keys are about: the one with the focus. */
export function actOnThread(review: Reading, what: "reply" | "edit"): boolean {
  const id = document.activeElement?.closest<HTMLElement>("[data-thread]")?.dataset["thread"];
  const thread = review.threads.list.peek().find((one) => one.id === id);
  if (!thread || (what === "edit" && !isMine(thread.author))) return false;
  if (thread.status === "resolved" && !review.threads.opened.peek().has(thread.id)) review.threads.toggleOpened(thread.id);
  draftsOf(review.contextId).start({ kind: what, thread: thread.id }, what === "edit" ? thread.body : "");
  return true;
}
