/** What the page does once it is drawn: colours to choose from, and the account's settings. */
import "./shared.ts";
import { keepSettings } from "../state/settings.ts";
import css from "../styles/choices.css?sheet";
import { wear } from "./Later.tsx";

export function settle(): void {
  wear(css);
  void keepSettings();
}
