/** A scope in which nothing changed: why, where there is something, and what else could be looked at. */
import "./shared.ts";
import type { Context, Scope } from "../api/types.gen.ts";
import type { Review } from "../state/review.ts";
import css from "../styles/command.css?sheet";
import { plural } from "../text/format.ts";
import { wear } from "./Later.tsx";
import { Text } from "./parts.tsx";
import { State } from "./States.tsx";

wear(css);

const WORDS: Readonly<Record<Scope, string>> = { all: "all changes", staged: "staged changes", unstaged: "unstaged changes" };

export function NoChanges({ review, choose }: { review: Review; choose: (scope: Scope) => void }) {
  const context = review.context.value;
  const others = (context?.scopes ?? []).filter(({ scope, totals }) => scope !== review.scope && totals.files > 0);
  if (context && !others.length) return <Clean context={context} />;
  return (
    <State title="No changes in this scope">
      <p>This scope was collected and holds nothing.</p>
      <p class="actions">
        {others.map(({ scope, totals }) => (
          <button type="button" class="button" key={scope} onClick={() => choose(scope)}>
            Show {WORDS[scope]} ({plural(totals.files, "file")})
          </button>
        ))}
      </p>
    </State>
  );
}

/** Nothing anywhere. Often the first thing that is seen of diffx: in a clone that was just made. */
function Clean({ context: { observation } }: { context: Context }) {
  const { kind, baseRef, fallback } = observation.comparison;
  if (fallback === "unborn") return <Unborn />;
  const same = kind === "branch" ? <>the same as <Text text={baseRef ?? "its base"} /></> : "its last commit";
  return (
    <State title="Nothing has changed">
      <p>The checkout holds {same}, and nothing that is not committed.</p>
      <p>To look further back, or at something else:</p>
      <dl class="ways">
        <div><dt><code>diffx --base HEAD~1</code></dt><dd>the last commit, and what comes after it</dd></div>
        <div><dt><code>diffx --base v1.0</code></dt><dd>all since a tag, a branch or any commit</dd></div>
        <div><dt><code>git show | diffx</code></dt><dd>one commit, or any other patch</dd></div>
      </dl>
      <p class="quiet-text">Or change a file, and run diffx again.</p>
      <p class="actions"><a class="button" href="/" data-link>All reviews</a></p>
    </State>
  );
}

/** Nothing in a repository that was just made: there is no earlier commit to point at. */
function Unborn() {
  return (
    <State title="Nothing here yet">
      <p>The repository has no commit and no file that is not ignored.</p>
      <p class="quiet-text">Make a file, and run diffx again.</p>
      <p class="actions"><a class="button" href="/" data-link>All reviews</a></p>
    </State>
  );
}
