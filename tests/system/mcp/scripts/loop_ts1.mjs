// The TypeScript SDK, 1.x: connect, list, call what reads, writes and waits.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { workOff } from "./work_off.mjs";

const client = new Client({ name: "typescript-1", version: "1" });
await client.connect(new StreamableHTTPClientTransport(new URL(process.argv[2])));
console.log(JSON.stringify(await workOff(client)));
await client.close();
