/** The changed files as a tree. Only the rows in view exist. */
import "./shared.ts";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { ChangedFile } from "../api/types.gen.ts";
import type { Reading } from "../state/reading.ts";
import type { Folder, Leaf } from "../state/tree.ts";
import { rowOfFile, treeRows, type TreeRow } from "../state/treerows.ts";
import type { Tick } from "../state/marks.ts";
import { prefs } from "../state/prefs.ts";
import { stagingOf } from "../text/staging.ts";
import css from "../styles/tree.css?sheet";
import { STATUS_WORDS } from "../surface/icons.ts";
import { plural } from "../text/format.ts";
import { spellOut } from "../text/visible.ts";
import { wear } from "./Later.tsx";
import { Icon, Text } from "./parts.tsx";
import { Resizer } from "./Resizer.tsx";

wear(css);

const ROW = 26;
const SPARE = 8;

export function Tree({ review, open, mark }: {
  review: Reading; open: (file: string) => void; mark: (node: Folder | Leaf) => void;
}) {
  const rows = useMemo(() => treeRows(review.tree.value, review.closedFolders.value),
    [review.tree.value, review.closedFolders.value]);
  const [active, setActive] = useState(0);
  const list = useRef<HTMLDivElement>(null);
  const { top, height } = useView(list);
  const current = useMemo(() => rowOfFile(rows, review.reading.value), [rows, review.reading.value]);
  useEffect(() => {
    if (current < 0) return;
    reveal(list.current, current);
    // Tab leads into the tree where the reader is; whoever is in it already moves on their own.
    if (!list.current?.contains(document.activeElement)) setActive(current);
  }, [current]);

  const toggle = (key: string): void => {
    const closed = new Set(review.closedFolders.peek());
    if (!closed.delete(key)) closed.add(key);
    review.closedFolders.value = closed;
  };
  const choose = (at: number): void => {
    const row = rows[at];
    if (!row) return;
    setActive(at);
    if (row.node.kind === "file") open(row.node.key);
    else toggle(row.node.key);
  };
  const focus = (at: number): void => {
    const next = Math.max(0, Math.min(rows.length - 1, at));
    setActive(next);
    reveal(list.current, next);
    requestAnimationFrame(() => list.current?.querySelector<HTMLElement>(`[data-at="${next}"]`)?.focus());
  };
  const pressed = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "v" && prefs.peek().keys && rows[active]) {
      event.preventDefault();
      event.stopPropagation();
      return mark(rows[active].node);
    }
    const go = stepFor(event.key, rows, active, review.closedFolders.peek());
    if (go === null) return;
    event.preventDefault();
    event.stopPropagation();
    if (go === "choose") choose(active);
    else if (go === "toggle") toggle(rows[active].node.key);
    else focus(go);
  };

  const first = Math.max(0, Math.floor(top / ROW) - SPARE);
  const last = Math.min(rows.length, Math.ceil((top + height) / ROW) + SPARE);
  const entry = active < rows.length ? active : 0;
  return (
    <>
    <div class="tree" ref={list} role="tree" aria-label="Changed files" onKeyDown={pressed} onFocusIn={(event) => setActive(rowAt(event.target) ?? active)}>
      <div class="tree-length" role="none" ref={(element) => { if (element) element.style.height = `${rows.length * ROW}px`; }}>
        {rows.slice(first, last).map((row, at) => (
          <Node key={row.node.key} row={row} at={first + at} current={first + at === current}
            focusable={first + at === entry} closed={review.closedFolders.value.has(row.node.key)}
            comments={row.node.kind === "file" ? review.threads.openCounts.value.get(row.node.key) ?? 0 : 0}
            tick={review.marks.tickOf(row.node)} changed={row.node.kind === "file" && review.marks.of(row.node.file) === "changed"}
            choose={choose} mark={mark} />
        ))}
      </div>
    </div>
    <Resizer />
    </>
  );
}

interface NodeProps {
  readonly row: TreeRow;
  readonly at: number;
  readonly current: boolean;
  readonly focusable: boolean;
  readonly closed: boolean;
  readonly comments: number;
  readonly tick: Tick;
  readonly changed: boolean;
  readonly choose: (at: number) => void;
  readonly mark: (node: Folder | Leaf) => void;
}

function Node({ row, at, current, focusable, closed, comments, tick, changed, choose, mark }: NodeProps) {
  const { node, level, position, siblings } = row;
  const place = (element: HTMLElement | null): void => {
    if (!element) return;
    element.style.top = `${at * ROW}px`;
    element.style.setProperty("--level", String(level - 1));
  };
  return (
    <div class={`node ${node.kind === "file" ? "leaf" : "folder"}${current ? " current" : ""}`} role="treeitem" data-at={at} ref={place}
      aria-level={level} aria-posinset={position} aria-setsize={siblings} aria-selected={current}
      aria-checked={tick === "some" ? "mixed" : tick === "all"}
      aria-expanded={node.kind === "folder" ? !closed : undefined}
      tabIndex={focusable ? 0 : -1} onClick={() => choose(at)}
      title={node.kind === "file" ? titleOf(node.file) : spellOut(node.name)}>
      {node.kind === "folder"
        ? <><span class={closed ? "twist closed" : "twist"}><Icon name="chevron" /></span><span class="node-name"><Text text={node.name} /></span></>
        : <FileParts name={node.name} file={node.file} changed={changed} />}
      {comments > 0 && <span class="bubble" role="img" aria-label={plural(comments, "open comment")}>{comments}</span>}
      <span class={`tick ${tick}`} aria-hidden="true" title={TICK_WORDS[tick]}
        onClick={(event) => { event.stopPropagation(); mark(node); }}>
        {tick !== "none" && <Icon name={tick === "all" ? "tick" : "dash"} />}
      </span>
    </div>
  );
}

const TICK_WORDS: Readonly<Record<Tick, string>> = {
  none: "Mark as reviewed (v)", some: "Partly reviewed: mark the rest (v)", all: "Reviewed: take it back (v)",
};

function FileParts({ name, file, changed }: { name: string; file: ChangedFile; changed: boolean }) {
  const staging = stagingOf(file);
  return (
    <>
      <span class={`status ${file.status}`} role="img" aria-label={STATUS_WORDS[file.status]}>{file.status}</span>
      <span class={file.noise ? "node-name noise" : "node-name"}><Text text={name} /></span>
      {file.noise && <span class="sr-only">{file.noise.class}</span>}
      {changed && <span class="mark" role="img" aria-label="changed since you reviewed" title="Changed since you reviewed">↻</span>}
      {(file.conflict || file.damage) && <span class="mark bad" role="img" aria-label={file.conflict ? "conflict" : "damaged"}>!</span>}
      {isWithheld(file) && <span class="mark" role="img" aria-label="lines not shown" title="Its lines are not shown">∅</span>}
      {staging && <span class={`dot ${staging.replace(" ", "-")}`} role="img" aria-label={staging} title={staging} />}
      <span class="node-counts">
        {!!file.additions && <span class="plus" role="img" aria-label={`${file.additions} added`}>+{file.additions.toLocaleString("en")}</span>}
        {!!file.deletions && <span class="minus" role="img" aria-label={`${file.deletions} removed`}>−{file.deletions.toLocaleString("en")}</span>}
        {file.binary && <span class="quiet-text" role="img" aria-label="binary">bin</span>}
      </span>
    </>
  );
}

function isWithheld(file: ChangedFile): boolean {
  return !file.patch.available && !!file.patch.reason && !file.binary && !file.submodule && !file.repository;
}

function titleOf(file: ChangedFile): string {
  const parts = [file.oldPath ? `${file.oldPath} → ${file.path}` : file.path, STATUS_WORDS[file.status] ?? ""];
  const staging = stagingOf(file);
  if (staging) parts.push(staging);
  if (file.noise) parts.push(`${file.noise.class}: ${file.noise.reason}`);
  return parts.join("\n");
}

/** Where a key leads in a tree: a row, an act, or nowhere. */
function stepFor(
  key: string, rows: readonly TreeRow[], at: number, closed: ReadonlySet<string>,
): number | "choose" | "toggle" | null {
  const row = rows[at];
  if (!row) return null;
  const folder = row.node.kind === "folder";
  const isOpen = folder && !closed.has(row.node.key);
  switch (key) {
    case "ArrowDown": return at + 1;
    case "ArrowUp": return at - 1;
    case "Home": return 0;
    case "End": return rows.length - 1;
    case "Enter": case " ": return "choose";
    case "ArrowRight": return !folder ? null : isOpen ? at + 1 : "toggle";
    case "ArrowLeft": return isOpen ? "toggle" : row.parent >= 0 ? row.parent : null;
    default: return null;
  }
}

function rowAt(target: EventTarget | null): number | null {
  const at = (target as Element | null)?.closest<HTMLElement>("[data-at]")?.dataset["at"];
  return at === undefined ? null : Number(at);
}

function reveal(list: HTMLElement | null, at: number): void {
  if (!list) return;
  const [y, view] = [at * ROW, list.clientHeight];
  if (y < list.scrollTop) list.scrollTop = y;
  else if (y + ROW > list.scrollTop + view) list.scrollTop = y + ROW - view;
}

function useView(list: { current: HTMLElement | null }): { top: number; height: number } {
  const [view, setView] = useState({ top: 0, height: 800 });
  useLayoutEffect(() => {
    const element = list.current;
    if (!element) return;
    const read = (): void => setView({ top: element.scrollTop, height: element.clientHeight });
    const resizes = new ResizeObserver(read);
    resizes.observe(element);
    element.addEventListener("scroll", read, { passive: true });
    return () => {
      resizes.disconnect();
      element.removeEventListener("scroll", read);
    };
  }, []);
  return view;
}
