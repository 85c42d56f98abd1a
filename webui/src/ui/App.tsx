/** Which page the address asks for. */
import { useEffect } from "preact/hooks";
import { prefs } from "../state/prefs.ts";
import { navigate, parseRoute, route } from "../state/route.ts";
import { later } from "./Later.tsx";
import { Text } from "./parts.tsx";
import { ReviewPage } from "./ReviewPage.tsx";
import { State } from "./States.tsx";

const Opening = later(async () => (await import("./Opening.tsx")).Opening);
const Picker = later(async () => (await import("./Picker.tsx")).Picker);

export function App() {
  const { theme, palette, code } = prefs.value;
  useEffect(() => { Object.assign(document.documentElement.dataset, { theme, palette, code }); }, [theme, palette, code]);
  useEffect(() => {
    document.addEventListener("click", followLink);
    return () => document.removeEventListener("click", followLink);
  }, []);
  const shown = route.value;
  switch (shown.page) {
    case "opening": return <Opening />;
    case "picker": return <Picker filters={shown.filters} />;
    case "review": return <ReviewPage key={shown.context} context={shown.context} scope={shown.scope} spot={shown.spot} from={shown.from} />;
    case "unknown": return (
      <main class="alone"><State title="There is no such page">
        <p>Nothing is at <code><Text text={shown.path} /></code>.</p>
        <p class="actions"><a class="button" href="/" data-link>All reviews</a></p>
      </State></main>
    );
  }
}

/** Links between pages stay on the page; opening in a new tab stays the browser's business. */
function followLink(event: MouseEvent): void {
  const link = (event.target as Element).closest<HTMLAnchorElement>("a[data-link]");
  if (!link || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  navigate(parseRoute(link.pathname, link.search));
}
