/** Parts of the page that come when they are first needed, to keep the first paint small. */
import type { ComponentType, JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { onHint } from "../live.ts";

/** Ask for something once, and again only where that failed. */
export function once<T>(load: () => Promise<T>): () => Promise<T> {
  let asked: Promise<T> | null = null;
  return () => asked ??= load().catch((error: unknown) => {
    asked = null;
    throw error;
  });
}

const parts = new Set<() => Promise<unknown>>();

/** Fetch every part in a quiet moment, so that none is missed when the server has gone. */
export async function fetchParts(): Promise<void> {
  // One after the other: those that a part brings along are met on the way.
  for (const load of parts) await load().catch(() => undefined); // said where the part is wanted
}

/** A component whose code is fetched when it is first drawn; nothing stands there meanwhile. */
export function later<P extends object>(load: () => Promise<ComponentType<P>>): (props: P) => JSX.Element | null {
  let known: ComponentType<P> | null = null;
  parts.add(load);
  return function Later(props: P) {
    const [Part, setPart] = useState<ComponentType<P> | "missing" | null>(() => known);
    useEffect(() => {
      // Another one like this may have fetched it since this one was drawn.
      if (known) return setPart(() => known);
      const fetch = (): void => void load().then((part) => { known = part; setPart(() => part); }, () => setPart("missing"));
      fetch();
      return onHint((hint) => { if (hint === "connected" && !known) fetch(); });
    }, []);
    if (Part === "missing") return <Missing />;
    return Part && <Part {...props} />;
  };
}

/** The server is gone, or was replaced by another version while this page was open. */
function Missing() {
  return (
    <p class="missing" role="status">A part of this page could not be loaded.
      <button type="button" onClick={() => location.reload()}>Load the page anew</button>
    </p>
  );
}

const worn = new Set<string>();

/** Give a part its styles, once. A sheet made by script needs nothing from the page's policy. */
export function wear(text: string): void {
  if (worn.has(text)) return;
  worn.add(text);
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(text);
  document.adoptedStyleSheets.push(sheet);
}
