/** The bar above a review: what it is, which scope, and how it looks. */
import type { ComponentChildren } from "preact";
import type { Context, Manifest, Scope } from "../api/types.gen.ts";
import { noiseWords, type Progress } from "../state/marks.ts";
import { prefer, prefs } from "../state/prefs.ts";
import { formatRoute, pickerRoute } from "../state/route.ts";
import { ageWords, relative } from "../text/format.ts";
import { useNow } from "./clock.ts";
import { SPACE_WORDS } from "./space.ts";
import { type Choice, Counts, Icon, Segments, Text } from "./parts.tsx";

const SCOPE_WORDS: Readonly<Record<Scope, readonly [string, string]>> = {
  all: ["All", "Everything since the baseline, untracked files included (1)"],
  staged: ["Staged", "What a commit would hold now (2)"],
  unstaged: ["Unstaged", "What is not staged, untracked files included (3)"],
};

export interface ToolbarProps {
  readonly context: Context | null;
  readonly manifest: Manifest | null;
  readonly scope: Scope;
  readonly progress: Progress;
  readonly tools: ComponentChildren;
  readonly chooseScope: (scope: Scope) => void;
  readonly toggleTree: () => void;
  readonly help: () => void;
  readonly settings: () => void;
}

export function Toolbar({ context, manifest, scope, progress, tools, chooseScope, toggleTree, help, settings }: ToolbarProps) {
  const { space } = prefs.value;
  return (
    <header class="topbar">
      <button type="button" class="quiet" onClick={toggleTree} aria-label="File tree" title="File tree (b)" aria-pressed={prefs.value.tree}>
        <Icon name="files" />
      </button>
      <a class="quiet brand-link" href={formatRoute(pickerRoute())} data-link title="All reviews (u)">diffx</a>
      {context && <Subject context={context} />}
      {context && <Segments label="Scope" value={scope} choices={scopeChoices(context)} choose={chooseScope} />}
      <span class="grow" />
      {space !== "show" && (
        <button type="button" class="chosen" title={`White space is ${SPACE_WORDS[space]} (i)`} onClick={() => prefer({ space: "show" })}>
          White space hidden<Icon name="close" />
        </button>
      )}
      {manifest && <span class="bar-totals">{manifest.totals.files.toLocaleString("en")} {manifest.totals.files === 1 ? "file" : "files"} <Counts {...manifest.totals} /></span>}
      {manifest && progress.all > 0 && <Reviewed {...progress} noise={noiseWords(manifest.files, progress.all)} />}
      {manifest && tools}
      <button type="button" class="quiet" onClick={settings} aria-label="Settings" title="Settings (,)"><Icon name="gear" /></button>
      <button type="button" class="quiet" onClick={help} aria-label="Keys and help" title="Keys and help (?)"><Icon name="help" /></button>
    </header>
  );
}

function Reviewed({ done, all, noise }: Progress & { noise: string }) {
  const fill = (element: HTMLElement | null): void => element?.style.setProperty("--done", `${(100 * done) / all}%`);
  return (
    <span class="reviewed-bar" title={noise && `${noise}: need not be reviewed, and not counted`}>
      <span class="meter" ref={fill} aria-hidden="true" />{done.toLocaleString("en")} of {all.toLocaleString("en")}<span class="word-reviewed"> reviewed</span>
      {noise && <span class="note word-reviewed">+ {noise}</span>}
    </span>
  );
}

function scopeChoices({ scopes, capabilities }: Context): Array<Choice<Scope>> {
  return capabilities.scopes.map((scope) => {
    const totals = scopes.find((one) => one.scope === scope)?.totals;
    const [label, title] = SCOPE_WORDS[scope];
    return { value: scope, label, title, note: totals ? totals.files.toLocaleString("en") : "" };
  });
}

function Subject({ context }: { context: Context }) {
  const now = useNow();
  const { storedAt, observation: { provenance, sourceKind, collectedAt } } = context;
  const repository = provenance.repositoryName ?? (sourceKind === "patch" ? "Patch" : "Review");
  const place = [provenance.worktreeName, provenance.hostname].filter((text): text is string => !!text).join(" · ");
  return (
    <div class="subject" title={place}>
      <h1><Text text={repository} /></h1>
      {provenance.branch && <span class="subject-branch"><Icon name="branch" /><Text text={provenance.branch} /></span>}
      <time class="quiet-text" dateTime={new Date(storedAt).toISOString()} title={ageWords(storedAt, collectedAt)}>{relative(storedAt, now)}</time>
    </div>
  );
}

