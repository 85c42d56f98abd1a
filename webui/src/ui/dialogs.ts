/** What is seen once in a while: one file of the build, for small ones compress badly. */
export { Help } from "./Help.tsx";
export { NoChanges } from "./NoChanges.tsx";
export { Outline } from "./Outline.tsx";
export { Refused } from "./Refused.tsx";
export { Settings } from "./Settings.tsx";
