/** The server, with failures as values: a caller cannot forget that a request may fail. */
import { type Operations, type Problem, ROUTES } from "./types.gen.ts";

export interface Failure {
  /** A problem's code, or "offline" when nothing answered, or "unreadable" for a strange answer. */
  readonly code: Problem["code"] | "offline" | "unreadable";
  readonly status: number;
  readonly detail: string;
  /** What was asked, for people who report it. */
  readonly request: string;
}

export type Result<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly failure: Failure };

type Name = keyof Operations & keyof typeof ROUTES;

export interface Asked<N extends Name> {
  readonly path?: Operations[N]["path"];
  readonly query?: Operations[N]["query"];
  readonly body?: Operations[N]["body"];
  readonly signal?: AbortSignal;
  /** Whether it is sent even where the page is being left. */
  readonly keepalive?: boolean;
}

/** Call one operation of the contract. Throws only when `signal` aborts it. */
export function call<N extends Name>(
  name: N, asked: Asked<N> = {},
): Promise<Result<Operations[N]["answer"]>> {
  return ask(name, asked, (response) => response.json() as Promise<Operations[N]["answer"]>);
}

/** Call an operation whose answer is text for people or agents. */
export function callForText<N extends Name>(name: N, asked: Asked<N> = {}): Promise<Result<string>> {
  return ask(name, asked, (response) => response.text());
}

async function ask<N extends Name, T>(
  name: N, { path = {}, query = {}, body, signal, keepalive = false }: Asked<N>, read: (response: Response) => Promise<T>,
): Promise<Result<T>> {
  const [method, template] = ROUTES[name];
  const address = addressOf(template, path, query);
  const request = `${method} ${address}`;
  // The type is what a page of another origin cannot send unasked (10.2).
  const headers = { Accept: "application/json, */*;q=0.5", ...(method === "GET" ? {} : { "Content-Type": "application/json" }) };
  const sent = body === undefined ? null : JSON.stringify(body);
  let response: Response;
  try {
    response = await fetch(address, { method, headers, body: sent, keepalive, signal: signal ?? null });
  } catch (error) {
    if (signal?.aborted) throw error;
    return { ok: false, failure: { code: "offline", status: 0, detail: "The server does not answer.", request } };
  }
  try {
    if (!response.ok) return { ok: false, failure: { ...problemOf(await response.json(), response), request } };
    return { ok: true, value: response.status === 204 ? (null as T) : await read(response) };
  } catch (error) {
    if (signal?.aborted) throw error;
    const detail = `The answer (status ${response.status}) is not what diffx sends. Is something else on this port?`;
    return { ok: false, failure: { code: "unreadable", status: response.status, detail, request } };
  }
}

/** An operation's address; parameters that are undefined or empty are left out. */
export function addressOf(template: string, path: object, query: object): string {
  const values = path as Readonly<Record<string, string | number>>;
  const filled = template.replace(/\{(\w+)\}/g, (_, key: string) => encodeURIComponent(values[key] ?? ""));
  const parameters = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined && one !== "") parameters.append(key, String(one));
    }
  }
  const asked = parameters.toString();
  return asked ? `${filled}?${asked}` : filled;
}

function problemOf(body: unknown, response: Response): Omit<Failure, "request"> {
  const { code, detail, title } = body as Partial<Problem>;
  if (!code) throw new TypeError("not a problem document");
  return { code, status: response.status, detail: detail || title || response.statusText };
}
