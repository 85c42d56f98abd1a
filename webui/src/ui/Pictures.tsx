/** Both sides of an image: beside each other, one over the other, or what differs. */
import "./shared.ts";
import { render } from "preact";
import { useState } from "preact/hooks";
import { addressOf } from "../api/client.ts";
import { ROUTES } from "../api/types.gen.ts";
import type { Sheet } from "../diff/sheet.ts";
import { measures, type Picture, pictureOf, type Which } from "../state/pictures.ts";
import { type Comparing, prefer, prefs } from "../state/prefs.ts";
import type { Reading } from "../state/reading.ts";
import css from "../styles/pictures.css?sheet";
import { wear } from "./Later.tsx";
import { type Choice, Segments, Text } from "./parts.tsx";

wear(css);

const MODES: ReadonlyArray<Choice<Comparing>> = [
  { value: "two-up", label: "Side by side" }, { value: "swipe", label: "Swipe" },
  { value: "onion", label: "Onion skin" }, { value: "difference", label: "Difference" },
];
const LABELS: Readonly<Record<Which, string>> = { before: "Before", after: "After" };
/** Small images are shown larger, pixel by pixel, up to about this. */
const ENLARGED = 200;
const MOST_TIMES = 8;
const TALLEST = 400;

interface Size {
  readonly width: number;
  readonly height: number;
}

interface Props {
  readonly before: Picture | null;
  readonly after: Picture | null;
  readonly name: string;
}

/** Show the image that a file is, in the element of its note. */
export function drawPictures(into: HTMLElement, review: Reading, { file }: Sheet): void {
  const url = (which: Which): string => {
    const { side, ...path } = review.storedAt(file, which);
    return addressOf(ROUTES.getImage[1], path, { scope: review.scope, side });
  };
  const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const picture = (side: Which): Picture | null => pictureOf(file[side], side, url(side), calm);
  render(<Pictures name={file.path} before={picture("before")} after={picture("after")} />, into);
}

/** Compare images in the next way. */
export function nextComparing(say: (words: string) => void): void {
  const { value, label } = MODES[(MODES.findIndex((mode) => mode.value === prefs.peek().comparing) + 1) % MODES.length];
  prefer({ comparing: value });
  say(`Images: ${label.toLowerCase()}`);
}

export function Pictures({ before, after, name }: Props) {
  const [natural, setNatural] = useState<Partial<Record<Which, Size>>>({});
  const [asked, setAsked] = useState<ReadonlySet<Which>>(new Set());
  const [broken, setBroken] = useState<ReadonlySet<Which>>(new Set());
  const sides = [before, after].filter((one) => one !== null);
  const sizeOf = ({ which, width, height }: Picture): Size | null => natural[which] ?? (width && height ? { width, height } : null);
  const waits = (one: Picture): boolean => !!one.heavy && !asked.has(one.which);
  const both = sides.length === 2 && sides.every((one) => one.url && !broken.has(one.which));
  const mode = both ? prefs.value.comparing : "two-up";
  const over = mode !== "two-up" && !sides.some(waits);
  const image = (one: Picture) => (
    <img src={one.url ?? ""} alt={`${LABELS[one.which]}: ${name}`} decoding="async" draggable={false}
      onError={() => setBroken(new Set([...broken, one.which]))}
      onLoad={({ currentTarget: { naturalWidth: width, naturalHeight: height } }) => {
        if (width && height) setNatural((known) => ({ ...known, [one.which]: { width, height } }));
      }} />
  );
  const shown = (one: Picture) => {
    if (!one.url) return <p class="picture-none">Not shown: {one.missing}.</p>;
    if (broken.has(one.which)) return <p class="picture-none">The browser cannot show this image.</p>;
    if (waits(one)) return (
      <p class="picture-none">{one.heavy}
        <button type="button" onClick={() => setAsked(new Set([...asked, one.which]))}>Show it all the same</button></p>
    );
    return <Framed size={sizeOf(one)}>{image(one)}</Framed>;
  };
  const words = (one: Picture): string => measures({ ...one, ...natural[one.which] });
  return (
    <div class="pictures" role="group" aria-label={`Image ${name}`}>
      {both && <Segments label="Compare images" value={mode} choices={MODES} choose={(comparing) => prefer({ comparing })} />}
      {over && before && after
        ? <Overlay mode={mode} sizes={[sizeOf(before), sizeOf(after)]} images={[image(before), image(after)]} />
        : <div class="pictures-row">{sides.map((one) => <div key={one.which} class={`picture ${one.which}`}>{shown(one)}<Caption one={one} words={words(one)} size={sizeOf(one)} /></div>)}</div>}
      {over && <div class="pictures-row">{sides.map((one) => <Caption key={one.which} one={one} words={words(one)} size={null} />)}</div>}
    </div>
  );
}

function Caption({ one, words, size }: { one: Picture; words: string; size: Size | null }) {
  const times = size ? timesOf(size) : 1;
  return <p class={`caption ${one.which}`}><b>{LABELS[one.which]}</b> <Text text={words} />{times > 1 && <span class="note">, shown {times} times as large</span>}</p>;
}

/** How many times as large a small image is shown. */
function timesOf({ width, height }: Size): number {
  return Math.max(1, Math.min(MOST_TIMES, Math.floor(ENLARGED / Math.max(width, height))));
}

/** The room of an image before and after it is here: as wide as it is, but no wider than there is place. */
function room({ width, height }: Size): Record<string, string> {
  const times = timesOf({ width, height });
  return {
    width: `min(100%, ${width * times}px, ${(TALLEST * width) / height}px)`, aspectRatio: `${width} / ${height}`,
    imageRendering: times > 1 ? "pixelated" : "auto",
  };
}

function Framed({ size, children }: { size: Size | null; children: preact.ComponentChildren }) {
  return <div class="frame checks" style={size ? room(size) : {}}>{children}</div>;
}

function Overlay({ mode, sizes, images }: {
  mode: Exclude<Comparing, "two-up">; sizes: readonly [Size | null, Size | null]; images: readonly [preact.JSX.Element, preact.JSX.Element];
}) {
  const [at, setAt] = useState(50);
  const known = sizes.filter((size) => size !== null);
  const whole = known.length ? { width: Math.max(...known.map(({ width }) => width)), height: Math.max(...known.map(({ height }) => height)) } : null;
  const part = (size: Size | null): Record<string, string> => (size && whole
    ? { width: `${(100 * size.width) / whole.width}%`, height: `${(100 * size.height) / whole.height}%` } : {});
  const drag = (event: PointerEvent): void => {
    if (mode !== "swipe" || !(event.buttons & 1)) return;
    const box = (event.currentTarget as HTMLElement).getBoundingClientRect();
    setAt(Math.round(Math.max(0, Math.min(100, (100 * (event.clientX - box.left)) / box.width))));
  };
  return (
    <>
      <div class={`frame over ${mode}${mode === "difference" ? "" : " checks"}`} style={{ ...(whole ? room(whole) : {}), "--at": String(at) }}
        onPointerDown={drag} onPointerMove={drag}>
        <div class="layer before"><div style={part(sizes[0])}>{images[0]}</div></div>
        <div class="layer after"><div style={part(sizes[1])}>{images[1]}</div></div>
      </div>
      {mode === "difference" ? <p class="note">Black is where both are alike.</p> : (
        <label class="slider">Before
          <input type="range" min="0" max="100" value={at} onInput={(event) => setAt(Number(event.currentTarget.value))}
            aria-label={mode === "swipe" ? "Where after begins" : "How much of after shows"}
            aria-valuetext={mode === "swipe" ? `${at}% before, then after` : `${at}% after`} />After</label>
      )}
    </>
  );
}
