import { render } from "preact";
import { startLive } from "./live.ts";
import { followAddress } from "./state/route.ts";
import { App } from "./ui/App.tsx";
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/pages.css";
import "./styles/diff.css";
import "./styles/code.css";

followAddress();
render(<App />, document.getElementById("app")!);
startLive();
