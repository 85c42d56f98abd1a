import "./shared.ts";

export { hideSpace, indentMatters } from "../diff/whitespace.ts";
