/** The colours of code. They come after the first paint, as the tokens do that they are for. */
import "./shared.ts";
import { Highlighter } from "../highlight/highlight.ts";
import code from "../styles/code.css?sheet";
import { wear } from "./Later.tsx";

wear(code);

export const highlighter = new Highlighter();
highlighter.warm();
