/**
 * Listens for hints from the server that stored state changed. One connection per browser, whatever the
 * number of tabs: HTTP/1.1 allows six per server, and each stream would hold one for good.
 */
import "./ui/shared.ts";
import { ROUTES } from "./api/types.gen.ts";
import { connection, type Message, take } from "./live.ts";

const SLOWEST_RETRY_MS = 30_000;

export function startLive(): void {
  const channel = new BroadcastChannel("diffx.live");
  channel.onmessage = ({ data }: MessageEvent<Message>) => take(data);
  channel.postMessage({ ask: true } satisfies Message);
  if (!("locks" in navigator)) return lead(channel);
  // The tab that gets the lock leads until it closes; then the browser gives it to the next.
  void navigator.locks.request("diffx.live", () => new Promise<never>(() => lead(channel)));
}

function lead(channel: BroadcastChannel): void {
  const tell = (message: Message): void => {
    take(message);
    channel.postMessage(message);
  };
  channel.onmessage = ({ data }: MessageEvent<Message>) => {
    if (data.ask) channel.postMessage({ connection: connection.peek() } satisfies Message);
  };
  connect(tell, 1_000);
}

function connect(tell: (message: Message) => void, retryMs: number): void {
  const source = new EventSource(ROUTES.getEvents[1]);
  let wait = retryMs;
  source.onopen = () => {
    wait = 1_000;
    tell({ connection: "live", hint: "connected" });
  };
  for (const hint of ["catalog", "review"] as const) {
    source.addEventListener(hint, () => tell({ hint }));
  }
  source.onerror = () => {
    tell({ connection: "lost" });
    // The browser reconnects by itself unless the server refused; then it is up to us.
    if (source.readyState !== EventSource.CLOSED) return;
    setTimeout(() => connect(tell, Math.min(wait * 2, SLOWEST_RETRY_MS)), wait);
  };
}
