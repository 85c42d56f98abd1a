/**
 * A Markdown document as it would be read, beside its source; what changed has a bar. Nothing is
 * fetched, nothing leads away. An SVG drawing is shown as an image, in which no script runs.
 */
import "./shared.ts";
import { Fragment, type VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { ADDED, type Patch, REMOVED } from "../diff/patch.ts";
import type { Sheet } from "../diff/sheet.ts";
import type { Picture, Which } from "../state/pictures.ts";
import type { Reading } from "../state/reading.ts";
import css from "../styles/rendered.css?sheet";
import { isDrawing } from "../text/format.ts";
import { type Block, brokenLines, type Inline, parseInline, parseMarkdown } from "../text/markdown.ts";
import { later, wear } from "./Later.tsx";
import { Icon, Segments, Text } from "./parts.tsx";

wear(css);

const Pictures = later(async () => (await import("./Pictures.tsx")).Pictures);

const SIDES = [{ value: "before", label: "Before" }, { value: "after", label: "After" }] as const;
const MOST_LINES = 20_000;

export function Rendered({ sheet, review, close }: { sheet: Sheet; review: Reading; close: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [here, setHere] = useState(sheet.contents !== null);
  const [side, setSide] = useState<"before" | "after">(sheet.file.after ? "after" : "before");
  useEffect(() => {
    dialog.current?.showModal();
    void review.contentsOf(sheet).then(setHere);
  }, []);
  const lines = sheet.contents?.[side];
  const drawing = isDrawing(sheet.file.path);
  return (
    <dialog ref={dialog} class="rendered" aria-labelledby="rendered-title" onClose={close}
      onClick={(event) => { if (event.target === dialog.current) close(); }}>
      <header><h2 id="rendered-title"><Text text={sheet.file.path} /></h2>
        {!drawing && sheet.contents?.before && sheet.contents.after && <Segments label="Side" value={side} choices={SIDES} choose={setSide} />}
        <button type="button" class="quiet" aria-label="Close" onClick={close}><Icon name="close" /></button></header>
      {here && drawing ? <Pictures name={sheet.file.path} before={drawn(sheet, "before")} after={drawn(sheet, "after")} />
        : here && lines ? <Document lines={lines} changed={changedLines(sheet.full, side)} /> : <p class="quiet-text">The contents of this side are not here.</p>}
    </dialog>
  );
}

/** One side of a drawing, as an image made of the text that was stored. */
function drawn({ file, contents }: Sheet, which: Which): Picture | null {
  const [side, lines] = [file[which], contents?.[which]];
  if (!side) return null;
  const url = lines ? `data:image/svg+xml;charset=utf-8,${encodeURIComponent(lines.join("\n").toWellFormed())}` : null;
  return { which, url, width: null, height: null, size: side.size, missing: url ? null : "its text is not stored", heavy: null };
}

function Document({ lines, changed }: { lines: readonly string[]; changed: ReadonlySet<number> }) {
  return (
    <article>
      {parseMarkdown(lines.slice(0, MOST_LINES)).map((block, at) => draw(block, at, changed))}
      {lines.length > MOST_LINES && <p class="note">Only the first {MOST_LINES} lines are rendered.</p>}
    </article>
  );
}

function changedLines(patch: Patch | null, side: "before" | "after"): Set<number> {
  const changed = new Set<number>();
  for (let row = 0; patch && row < patch.count; row++) {
    if (patch.kind[row] === (side === "after" ? ADDED : REMOVED)) changed.add((side === "after" ? patch.newLine : patch.oldLine)[row]);
  }
  return changed;
}

function draw(block: Block, key: number, changed: ReadonlySet<number>): VNode {
  const { kind, from, to, level = 0, text = "", blocks = [], rows = [] } = block;
  const inner = (): VNode[] => blocks.map((one, at) => draw(one, at, changed));
  let touched = false;
  for (let line = from; line <= to && !touched; line++) touched = changed.has(line);
  const mark = touched && !blocks.length ? "touched" : "";
  switch (kind) {
    // The page has its own first headings.
    case "heading": { const Heading = `h${Math.min(6, level + 2)}` as "h3"; return <Heading key={key} class={`level-${level} ${mark}`}>{words(text)}</Heading>; }
    case "code": return <pre key={key} class={mark}><code>{text}</code></pre>;
    case "rule": return <hr key={key} />;
    case "quote": return <blockquote key={key}>{inner()}</blockquote>;
    case "list": return level ? <ol key={key}>{inner()}</ol> : <ul key={key}>{inner()}</ul>;
    case "item": return <li key={key}>{inner()}</li>;
    case "table": return (
      <table key={key} class={mark}><tbody>{rows.map((row, at) => (
        <tr key={at}>{row.map((cell, place) => (at ? <td key={place}>{words(cell)}</td> : <th key={place} scope="col">{words(cell)}</th>))}</tr>
      ))}</tbody></table>
    );
    case "paragraph": return <p key={key} class={mark}>{words(text)}</p>;
  }
}

function words(text: string): Array<VNode> {
  return parseInline(text).map(word);
}

function word(part: Inline, key: number): VNode {
  if (typeof part === "string") return <Fragment key={key}>{brokenLines(part).map((line, at) => [at > 0 && <br />, <Text text={line} />])}</Fragment>;
  const inner = part.parts.map(word);
  switch (part.kind) {
    case "code": return <code key={key}>{inner}</code>;
    case "strong": return <strong key={key}>{inner}</strong>;
    case "em": return <em key={key}>{inner}</em>;
    case "del": return <del key={key}>{inner}</del>;
    // Where a link leads and what an image shows is up to the document's author: said, not followed.
    case "link": return <span key={key} class="link" title={part.to}>{inner}</span>;
    case "image": return <span key={key} class="image" title={part.to}>image: {inner.length ? inner : <Text text={part.to} />}</span>;
  }
}
