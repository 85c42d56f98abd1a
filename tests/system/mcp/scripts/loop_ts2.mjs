// The TypeScript client, 2.x, in one of its ways of agreeing on a version.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { workOff } from "./work_off.mjs";

const [url, mode] = process.argv.slice(2);
const versionNegotiation = { mode: mode === "pin" ? { pin: "2026-07-28" } : mode };
const client = new Client({ name: "typescript-2", version: "1" }, { versionNegotiation });
await client.connect(new StreamableHTTPClientTransport(new URL(url)));
console.log(JSON.stringify(await workOff(client)));
await client.close();
