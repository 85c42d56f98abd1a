/** What the page does once it is drawn: colours to choose from, and the account's settings. */
import "./shared.ts";
import { keepSettings } from "../state/settings.ts";
import css from "../styles/choices.css?sheet";
import type { ModelContext } from "../webmcp.ts";
import { fetchParts, wear } from "./Later.tsx";

/** By then what the reader sees first is drawn and coloured. */
const PARTS_MS = 1_500;

export function settle(): void {
  const { modelContext } = document as { modelContext?: ModelContext };
  if (modelContext?.registerTool) void import("../webmcp.ts").then(({ lendTools }) => lendTools(modelContext));
  wear(css);
  void keepSettings();
  setTimeout(() => void fetchParts(), PARTS_MS);
}
