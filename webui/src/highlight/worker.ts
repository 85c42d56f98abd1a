/**
 * Highlights code off the page's thread.
 *
 * The handler stands before the highlighter is there: messages that reach a module worker while
 * it waits at its top level are lost.
 */
import type { Tokens } from "../diff/sheet.ts";
import { languagesOf } from "./languages.ts";

export interface Job {
  readonly id: number;
  /** Tells the language. */
  readonly path: string;
  readonly old: string;
  readonly new: string;
}

export interface Done {
  readonly id: number;
  readonly tokens: { readonly old: Tokens; readonly new: Tokens } | null;
}

const highlighter = import("./tokenize.ts");

onmessage = async ({ data }: MessageEvent<Job>): Promise<void> => {
  const { isSupportedLanguage, tokenize } = await highlighter;
  const language = languagesOf(data.path).find(isSupportedLanguage);
  if (!language) return postMessage({ id: data.id, tokens: null } satisfies Done);
  const tokens = { old: tokenize(data.old, language), new: tokenize(data.new, language) };
  const transfer = [tokens.old, tokens.new].flatMap(({ starts, records }) => [starts.buffer, records.buffer]);
  postMessage({ id: data.id, tokens } satisfies Done, { transfer });
};
