/** The keys, from the table that handles them. */
import "./shared.ts";
import { useEffect, useRef } from "preact/hooks";
import { keysOf } from "../keys.ts";
import { actionsIn, GROUPS, KEY_WORDS, keyName } from "../keywords.ts";
import { prefs } from "../state/prefs.ts";
import sheet from "../styles/dialogs.css?sheet";
import { wear } from "./Later.tsx";
import { Icon } from "./parts.tsx";

wear(sheet);

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
              {actionsIn(group).map((action) => (
                <div key={action}>
                  <dt>{keysOf(action, prefs.value.bindings).map((key) => <kbd key={key}>{keyName(key)}</kbd>)}</dt>
                  <dd>{KEY_WORDS[action][1]}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </dialog>
  );
}
