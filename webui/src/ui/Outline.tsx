/** All changes as a plain list of files, hunks and lines, made to be heard; any hunk leads to its place. */
import "./shared.ts";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Sheet } from "../diff/sheet.ts";
import { type HunkItem, hunkItems } from "../state/outline.ts";
import type { Reading } from "../state/reading.ts";
import css from "../styles/outline.css?sheet";
import { STATUS_WORDS } from "../surface/icons.ts";
import { plural } from "../text/format.ts";
import type { Controls } from "./Diff.tsx";
import { wear } from "./Later.tsx";
import { Icon, Text } from "./parts.tsx";

wear(css);

const FILES = 25;
const LOOK_AGAIN_MS = 250;

export function Outline({ review, controls, close }: { review: Reading; controls: Controls; close: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [many, setMany] = useState(FILES);
  const [, again] = useState(0);
  useEffect(() => dialog.current?.showModal(), []);
  const sheets = review.sheets.value;
  const shown = sheets.slice(0, many);
  const missing = shown.filter((sheet) => sheet.hasPatch && !sheet.patch);
  useEffect(() => {
    if (!missing.length) return;
    review.want(missing);
    const timer = setTimeout(() => again((before) => before + 1), LOOK_AGAIN_MS);
    return () => clearTimeout(timer);
  });
  const go = (file: number, hunk: HunkItem | null): void => {
    close();
    const sheet = sheets[file];
    const { view } = controls;
    if (!view) return;
    if (sheet.folded) {
      sheet.folded = false;
      view.refresh(sheet);
    }
    if (hunk?.line) view.goToLine(file, hunk.side, hunk.line);
    else view.goToFile(file);
  };
  return (
    <dialog ref={dialog} class="outline" aria-labelledby="outline-title" onClose={close}
      onClick={(event) => { if (event.target === dialog.current) close(); }}>
      <header><h2 id="outline-title">{plural(sheets.length, "changed file")}</h2>
        <button type="button" class="quiet" aria-label="Close" onClick={close}><Icon name="close" /></button></header>
      {shown.map((sheet, at) => <File key={sheet.file.id} sheet={sheet} go={(hunk) => go(at, hunk)} />)}
      {many < sheets.length && <button type="button" onClick={() => setMany(many + FILES)}>List {Math.min(FILES, sheets.length - many)} more files</button>}
    </dialog>
  );
}

function File({ sheet, go }: { sheet: Sheet; go: (hunk: HunkItem | null) => void }) {
  const { file, notices } = sheet;
  const hunks = hunkItems(sheet);
  return (
    <section>
      <h3><button type="button" class="quiet" onClick={() => go(null)}><Text text={file.path} /></button> <span class="note">{STATUS_WORDS[file.status]}</span></h3>
      {file.oldPath && <p>Before: <Text text={file.oldPath} /></p>}
      {notices.map(({ text }) => <p key={text}>{text}</p>)}
      {!hunks && sheet.hasPatch && <p class="quiet-text">Loading…</p>}
      <ul>{hunks?.map((hunk, at) => (
        <li key={hunk.title}>
          <button type="button" class="quiet" onClick={() => go(hunk)}><Text text={hunk.title} /></button>
          {sheet.isHunkSeen(sheet.storedHunk(at)) && <span class="note"> reviewed</span>}
          <ul class="outline-lines">{hunk.lines.map(({ removed, number, text }, at) => (
            <li key={at} class={removed ? "del" : "add"}><span class="note">{removed ? "removed" : "added"} {number}: </span><code><Text text={text || "empty"} /></code></li>
          ))}</ul>
          {hunk.more > 0 && <p class="note">and {plural(hunk.more, "changed line")} more</p>}
        </li>
      ))}</ul>
    </section>
  );
}
