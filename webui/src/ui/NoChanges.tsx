/** A scope in which nothing changed: why, and where there is something. */
import "./shared.ts";
import type { Scope } from "../api/types.gen.ts";
import type { Review } from "../state/review.ts";
import { plural } from "../text/format.ts";
import { State } from "./States.tsx";

const WORDS: Readonly<Record<Scope, string>> = { all: "all changes", staged: "staged changes", unstaged: "unstaged changes" };

export function NoChanges({ review, choose }: { review: Review; choose: (scope: Scope) => void }) {
  const others = (review.context.value?.scopes ?? []).filter(({ scope, totals }) => scope !== review.scope && totals.files > 0);
  return (
    <State title="No changes in this scope">
      <p>{others.length ? "This scope was collected and holds nothing." : "The checkout was clean when it was collected."}</p>
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
