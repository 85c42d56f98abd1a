import { render } from "preact";
import { startLive } from "./live.ts";
import { followAddress } from "./state/route.ts";
import { App } from "./ui/App.tsx";
import "./ui/shared.ts";
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/pages.css";
import "./styles/diff.css";

followAddress();
render(<App />, document.getElementById("app")!);
startLive();
// What the account prefers, and colours that few choose, come after the first paint.
void import("./ui/settled.ts").then(({ settle }) => settle());
