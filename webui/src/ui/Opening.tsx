/** While the first review is still being collected: how far that is, then the review itself. */
import "./shared.ts";
import { useEffect, useMemo, useState } from "preact/hooks";
import { OpeningWatch } from "../state/opening.ts";
import { formatRoute } from "../state/route.ts";
import { Text } from "./parts.tsx";
import { State } from "./States.tsx";

export function Opening() {
  const watch = useMemo(() => new OpeningWatch(), []);
  useEffect(() => {
    document.title = "Collecting · diffx";
    watch.start();
    return () => watch.stop();
  }, []);
  const now = watch.progress.value;
  useEffect(() => {
    // In place of this page: going back from the review must not lead to a page that leaves at once.
    if (now.kind === "ready") location.replace(formatRoute({ page: "review", context: now.contextId, scope: "all", spot: null }));
  }, [now]);
  if (now.kind === "failed") return <Ended title="The changes could not be collected" words={now.message} />;
  if (now.kind === "gone") return <Ended title="diffx does not answer" words="It was stopped before the review was there, or cannot be reached any more. This page tries again by itself." />;
  return (
    <main class="alone"><State title="Collecting the changes">
      <Waiting message={now.kind === "ready" ? "opening the review" : now.message} />
    </State></main>
  );
}

/** What goes on, and for how long already. Seconds are not announced: only news is. */
function Waiting({ message }: { message: string }) {
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setSeconds((before) => before + 1), 1_000);
    return () => clearInterval(timer);
  }, []);
  return (
    <>
      <p class="quiet-text" role="status" aria-busy="true"><Text text={message || "starting"} /></p>
      <p class="note" aria-hidden="true">{seconds ? `${seconds} s` : ""} </p>
    </>
  );
}

function Ended({ title, words }: { title: string; words: string }) {
  useEffect(() => { document.title = `${title} · diffx`; }, [title]);
  return (
    <main class="alone"><State title={title}>
      <p role="alert"><Text text={words} /></p>
      <p class="actions"><a class="button" href="/" data-link>All reviews</a></p>
    </State></main>
  );
}
