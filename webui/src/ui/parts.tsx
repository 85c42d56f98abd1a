/** Small pieces that several pages use. */
import type { ComponentChildren } from "preact";
import { oddIn } from "../text/visible.ts";
import { ICONS, type IconName } from "../surface/icons.ts";

export function Icon({ name }: { name: IconName }) {
  return <svg viewBox="0 0 16 16" class="icon" aria-hidden="true"><path d={ICONS[name]} /></svg>;
}

/** Text of unknown origin, its invisible characters shown. */
export function Text({ text }: { text: string }) {
  const parts: ComponentChildren[] = [];
  let at = 0;
  for (const { from, to, label, title } of oddIn(text)) {
    parts.push(text.slice(at, from), <span class="odd" title={title}>{label}</span>);
    at = to;
  }
  return <bdi>{parts}{text.slice(at)}</bdi>;
}

export interface Choice<T extends string> {
  readonly value: T;
  readonly label: string;
  readonly note?: string;
  readonly title?: string;
  readonly disabled?: boolean;
}

/** One of a few, all of them visible. Arrow keys move the choice, as in any radio group. */
export function Segments<T extends string>({ label, value, choices, choose }: {
  label: string; value: T; choices: ReadonlyArray<Choice<T>>; choose: (value: T) => void;
}) {
  const move = (event: KeyboardEvent): void => {
    const way = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!way) return;
    event.preventDefault();
    const open = choices.filter(({ disabled }) => !disabled);
    const next = open[(open.findIndex((one) => one.value === value) + way + open.length) % open.length];
    choose(next.value);
    const buttons = (event.currentTarget as HTMLElement).querySelectorAll("button");
    buttons[choices.indexOf(next)]?.focus();
  };
  return (
    <div class="segments" role="radiogroup" aria-label={label} onKeyDown={move}>
      {choices.map((one) => (
        <button type="button" role="radio" key={one.value} aria-checked={one.value === value} title={one.title}
          disabled={one.disabled} tabIndex={one.value === value ? 0 : -1} onClick={() => choose(one.value)}>
          {one.label}{one.note !== undefined && <span class="note">{one.note}</span>}
        </button>
      ))}
    </div>
  );
}

export function Counts({ additions, deletions }: { additions: number; deletions: number }) {
  return (
    <span class="counts">
      <span class="plus" role="img" aria-label={`${additions} lines added`}>+{additions.toLocaleString("en")}</span>
      <span class="minus" role="img" aria-label={`${deletions} lines removed`}>−{deletions.toLocaleString("en")}</span>
    </span>
  );
}
