/** The settings: how it looks, and which keys do what. They hold for the account, in every browser. */
import "./shared.ts";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Mode } from "../diff/rows.ts";
import { type Action, KEYS, keysOf } from "../keys.ts";
import { KEY_WORDS, keyName } from "../keywords.ts";
import { type CodeTheme, type Palette, prefer, prefs, type Space, TAB_WIDTHS, type Theme } from "../state/prefs.ts";
import { EDITORS, templateTrouble } from "../state/editors.ts";
import css from "../styles/settings.css?sheet";
import { wear } from "./Later.tsx";
import { type Choice, Icon, Segments } from "./parts.tsx";

wear(css);

const THEMES: ReadonlyArray<Choice<Theme>> = [
  { value: "system", label: "System" }, { value: "light", label: "Light" }, { value: "dark", label: "Dark" },
];
const PALETTES: ReadonlyArray<Choice<Palette>> = [
  { value: "usual", label: "Green, red" },
  { value: "blue-orange", label: "Blue, orange", title: "For those who tell red and green apart badly" },
  { value: "teal-red", label: "Teal, red", title: "For those who tell blue and yellow apart badly" },
];
const CODES: ReadonlyArray<Choice<CodeTheme>> = [
  { value: "diffx", label: "diffx" }, { value: "github", label: "GitHub" }, { value: "solarized", label: "Solarized" },
  { value: "contrast", label: "High contrast" }, { value: "plain", label: "None" },
];
const LAYOUTS: ReadonlyArray<Choice<Mode | "auto">> = [
  { value: "auto", label: "By width" }, { value: "split", label: "Split" }, { value: "unified", label: "Unified" },
];
const SPACES: ReadonlyArray<Choice<Space>> = [
  { value: "show", label: "Show" }, { value: "amount", label: "Hide amount" }, { value: "all", label: "Hide all" },
];

export function Settings({ close }: { close: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  const { theme, palette, code, layout, tab, wrap, space, keys } = prefs.value;
  const field = (label: string, control: preact.JSX.Element) => <div class="field"><span aria-hidden="true">{label}</span>{control}</div>;
  const check = (label: string, value: boolean, change: (value: boolean) => void) => (
    <label class="check"><input type="checkbox" checked={value} onChange={(event) => change(event.currentTarget.checked)} />{label}</label>
  );
  return (
    <dialog ref={dialog} class="settings" aria-labelledby="settings-title" onClose={close}
      onClick={(event) => { if (event.target === dialog.current) close(); }}>
      <header><h2 id="settings-title">Settings</h2>
        <button type="button" class="quiet" aria-label="Close" onClick={close}><Icon name="close" /></button></header>
      <section aria-label="Colours">
        <h3>Colours</h3>
        {field("Theme", <Segments label="Theme" value={theme} choices={THEMES} choose={(value) => prefer({ theme: value })} />)}
        {field("Added, removed", <Segments label="Added, removed" value={palette} choices={PALETTES} choose={(value) => prefer({ palette: value })} />)}
        {field("Code", <Segments label="Code" value={code} choices={CODES} choose={(value) => prefer({ code: value })} />)}
      </section>
      <section aria-label="Diff">
        <h3>Diff</h3>
        {field("Layout", <Segments<Mode | "auto"> label="Layout" value={layout ?? "auto"} choices={LAYOUTS} choose={(value) => prefer({ layout: value === "auto" ? null : value })} />)}
        {field("White space", <Segments label="White space" value={space} choices={SPACES} choose={(value) => prefer({ space: value })} />)}
        {field("Tab width", <Segments label="Tab width" value={String(tab)} choices={TAB_WIDTHS.map((width) => ({ value: String(width), label: String(width) }))} choose={(value) => prefer({ tab: Number(value) })} />)}
        {check("Wrap long lines", wrap, (value) => prefer({ wrap: value }))}
      </section>
      <section aria-label="Editor">
        <h3>Editor</h3>
        <EditorChoice />
      </section>
      <section aria-label="Keys">
        <h3>Keys</h3>
        {check("Single-letter keys", keys, (value) => prefer({ keys: value }))}
        {keys && <Keys />}
      </section>
    </dialog>
  );
}

const OTHER = "other";

/** Which editor opens files: one that is known, or any other by its address. */
function EditorChoice() {
  const { editor } = prefs.value;
  const [other, setOther] = useState(!!editor && !EDITORS.some(({ template }) => template === editor));
  const choose = (value: string): void => {
    setOther(value === OTHER);
    if (value !== OTHER) prefer({ editor: value });
  };
  const trouble = other && editor ? templateTrouble(editor) : null;
  return (
    <>
      <label class="field">Open files in
        <select value={other ? OTHER : editor} onChange={(event) => choose(event.currentTarget.value)}>
          <option value="">nothing</option>
          {EDITORS.map(({ name, template }) => <option key={name} value={template}>{name}</option>)}
          <option value={OTHER}>another editor…</option>
        </select></label>
      {other && (
        <label class="field">Its address
          <input type="text" value={editor} placeholder="editor://open{path}:{line}" spellcheck={false} aria-describedby="editor-says" aria-invalid={!!trouble}
            onInput={(event) => prefer({ editor: event.currentTarget.value.trim() })} /></label>
      )}
      <p class="quiet-text" id="editor-says" aria-live="polite">{trouble ?? (other
        ? "{path} becomes the file, {line} the line."
        : "E, and a button in each file's head, open the line there, while the checkout is on this machine.")}</p>
    </>
  );
}

const ACTIONS = Object.keys(KEY_WORDS) as readonly Action[];
const CHANGEABLE = ACTIONS.filter((action) => KEYS[action].every((key) => [...key].length === 1));

function Keys() {
  const [asking, setAsking] = useState<Action | null>(null);
  const [refused, setRefused] = useState("");
  const bound = prefs.value.bindings;
  const press = (event: KeyboardEvent, action: Action): void => {
    if (asking !== action || event.key === "Tab" || event.key === "Shift") return;
    event.preventDefault();
    event.stopPropagation();
    if (event.key === "Escape") return setAsking(null);
    const taken = ACTIONS.find((other) => other !== action && keysOf(other, bound).includes(event.key));
    if ([...event.key].length !== 1 || event.key === " " || event.ctrlKey || event.metaKey || event.altKey) return setRefused("One letter, digit or sign, without Ctrl or Alt.");
    if (taken) return setRefused(`${event.key} is taken: ${KEY_WORDS[taken][1]}.`);
    setAsking(null);
    setRefused("");
    prefer({ bindings: { ...bound, [action]: event.key } });
  };
  return (
    <>
      <p class="quiet-text" role="status">{refused || (asking ? "Press the new key; Escape keeps the old one." : "Choose an action to give it another key.")}</p>
      <ul class="bindings">
        {CHANGEABLE.map((action) => (
          <li key={action}>
            <button type="button" class="quiet" aria-pressed={asking === action}
              onClick={() => { setRefused(""); setAsking(asking === action ? null : action); }}
              onBlur={() => { if (asking === action) setAsking(null); }} onKeyDown={(event) => press(event, action)}>
              <span>{KEY_WORDS[action][1]}</span>
              {asking === action ? <kbd>…</kbd> : keysOf(action, bound).map((key) => <kbd key={key}>{keyName(key)}</kbd>)}
            </button>
          </li>
        ))}
      </ul>
      {Object.keys(bound).length > 0 && <button type="button" onClick={() => prefer({ bindings: {} })}>Put all keys back</button>}
    </>
  );
}
