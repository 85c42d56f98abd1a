/** The keys, from the table that handles them. */
import "./shared.ts";
import { useEffect, useRef } from "preact/hooks";
import { KEY_NAMES, KEYS, keysOf } from "../keys.ts";
import { prefs } from "../state/prefs.ts";
import sheet from "../styles/dialogs.css?sheet";
import { wear } from "./Later.tsx";
import { Icon } from "./parts.tsx";

wear(sheet);

const GROUPS = ["Move", "Review", "Look", "Go"] as const;

export function Help({ close }: { close: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} class="help" aria-labelledby="help-title" onClose={close}
      onClick={(event) => { if (event.target === dialog.current) close(); }}>
      <header><h2 id="help-title">Keys</h2>
        <button type="button" class="quiet" aria-label="Close" onClick={close}><Icon name="close" /></button></header>
      {!prefs.value.keys && <p class="notice warn">Single-letter keys are switched off in the settings.</p>}
      <div class="help-groups">
        {GROUPS.map((group) => (
          <section key={group}>
            <h3>{group}</h3>
            <dl>
              {KEYS.filter((key) => key.group === group).map((one) => (
                <div key={one.action}>
                  <dt>{keysOf(one, prefs.value.bindings).map((key) => <kbd key={key}>{KEY_NAMES[key] ?? key}</kbd>)}</dt>
                  <dd>{one.words}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </dialog>
  );
}
