/**
 * The tools of the review that is open, for an agent that the browser itself brings (WebMCP). They
 * are those of /mcp/contexts/ID, asked for and called there, so that names, schemas, limits and
 * labels (8.5) have one owner.
 */
import "./ui/shared.ts";
import { effect } from "@preact/signals";
import { onHint } from "./live.ts";
import { route } from "./state/route.ts";

/** What this page uses of `document.modelContext`; a tool goes when its signal is aborted. */
export interface ModelContext {
  registerTool(tool: object, options: { readonly signal: AbortSignal }): Promise<unknown> | undefined;
}

interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: object;
  readonly outputSchema?: object;
  readonly annotations: { readonly readOnlyHint: boolean };
}

/** What a call gives the agent: data, or text where there is no data, or why it was refused. */
interface Outcome {
  readonly content: readonly [{ readonly type: "text"; readonly text: string }];
  readonly structuredContent?: object;
  readonly isError?: true;
}

const VERSION = "2026-07-28";
const META = "io.modelcontextprotocol/";
const FROM = {
  [META + "protocolVersion"]: VERSION,
  [META + "clientCapabilities"]: {},
  [META + "clientInfo"]: { name: "webmcp", version: "1" },
};
/** One is about other reviews; the other would hold one of the six connections to a server. */
const LEFT_OUT: readonly string[] = ["list_contexts", "wait_for_review_comments"];
const SILENT = "diffx does not answer; is it still running?";

/** Keep the tools of whatever review is open registered, from now on. */
export function lendTools(browser: ModelContext): void {
  let context: string | null = null;
  let closed = new AbortController();
  let lent = false;
  const lend = async (): Promise<void> => {
    if (lent || context === null) return;
    lent = true;
    const { signal } = closed;
    const done = await register(browser, context, signal);
    if (!signal.aborted) lent = done;
  };
  effect(() => {
    const shown = route.value;
    const open = shown.page === "review" ? shown.context : null;
    if (open === context) return;
    closed.abort();
    [context, closed, lent] = [open, new AbortController(), false];
    void lend();
  });
  // Where the server did not answer, it may now.
  onHint((hint) => { if (hint === "connected") void lend(); });
}

/** Register the tools of a review until the signal ends it; false where it cannot be read. */
async function register(browser: ModelContext, context: string, closed: AbortSignal): Promise<boolean> {
  try {
    const { isError } = await ask<Outcome>(context, "tools/call", { name: "get_review_summary" }, closed);
    if (isError) return false;
    const { tools } = await ask<{ tools: readonly Tool[] }>(context, "tools/list", {}, closed);
    const wanted = tools.filter(({ name }) => !LEFT_OUT.includes(name));
    await Promise.all(wanted.map((tool) => offer(browser, context, tool, closed)));
    return true;
  } catch {
    return false; // said by the page itself, which asks the same server
  }
}

async function offer(browser: ModelContext, context: string, tool: Tool, closed: AbortSignal): Promise<void> {
  const { name, title, description, inputSchema, outputSchema } = tool;
  const { readOnlyHint } = tool.annotations;
  // What a reviewer sees and can undo is of no consequence; what others wrote is never vouched for.
  const annotations = readOnlyHint ? { readOnlyHint, untrustedContentHint: true } : { readOnlyHint, consequentialHint: false };
  const execute = (input: unknown, options?: { signal?: AbortSignal } | null): Promise<unknown> =>
    run(context, name, input, options?.signal ? AbortSignal.any([closed, options.signal]) : closed);
  try {
    await browser.registerTool(
      { name, title, description, inputSchema, ...(outputSchema && { outputSchema }), annotations, execute }, { signal: closed });
  } catch (error) {
    // Another script may have taken the name, or the browser may want another shape by now.
    if (!closed.aborted) console.warn(`The browser did not take the tool ${name}: ${String(error)}`);
  }
}

/** Call a tool. What fails is told in words: of what is thrown, the agent would see nothing. */
async function run(context: string, name: string, input: unknown, signal: AbortSignal): Promise<unknown> {
  const given = input ?? {};
  // No browser holds the input against the schema; the server does, if it is an object.
  if (typeof given !== "object" || Array.isArray(given)) return refused(`${name} takes an object, as its schema says.`);
  try {
    const { isError, content, structuredContent } = await ask<Outcome>(context, "tools/call", { name, arguments: given }, signal);
    return isError ? refused(content[0].text) : structuredContent ?? content[0].text;
  } catch (error) {
    return refused(signal.aborted ? "This call was given up, or its review is no longer open." : (error as Error).message);
  }
}

function refused(text: string): Outcome {
  return { isError: true, content: [{ type: "text", text }] };
}

/** Ask as any client of the protocol does; what is refused is an Error with the reason. */
async function ask<T>(context: string, method: string, params: { name?: string; arguments?: unknown }, signal: AbortSignal): Promise<T> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { ...params, _meta: FROM } });
  const headers = {
    "Accept": "application/json", "Content-Type": "application/json",
    "MCP-Protocol-Version": VERSION, "Mcp-Method": method, ...(params.name && { "Mcp-Name": params.name }),
  };
  let answer: { result?: T; error?: { message: string }; detail?: string };
  try {
    const response = await fetch(`/mcp/contexts/${context}`, { method: "POST", headers, body, signal });
    answer = await response.json();
  } catch {
    throw new Error(SILENT);
  }
  if (!answer.result) throw new Error(answer.error?.message ?? answer.detail ?? SILENT);
  return answer.result;
}
