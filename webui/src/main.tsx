import { render } from "preact";
import { followAddress } from "./state/route.ts";
import { App } from "./ui/App.tsx";
import "./ui/shared.ts";
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/pages.css";
import "./styles/diff.css";

followAddress();
render(<App />, document.getElementById("app")!);
/** Tried again until it is here: without it the page would not hear that a lost server is back. */
const listen = (): void => void import("./connecting.ts").then(({ startLive }) => startLive(), () => setTimeout(listen, 2_000));
listen();
// What the account prefers, and colours that few choose, come after the first paint.
void import("./ui/settled.ts").then(({ settle }) => settle());
