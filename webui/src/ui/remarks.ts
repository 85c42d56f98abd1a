/** What is said about files that are more than their lines. It comes beside the first view. */
import "./shared.ts";

export { noticesOf } from "../state/notices.ts";
