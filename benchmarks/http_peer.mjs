// What diffx is held against: node's http, or express, sending one ready-made JSON answer.
//     node http_peer.mjs http|express PORT BYTES [FOLDER-WITH-node_modules]
import http from "node:http";
import { createRequire } from "node:module";
import path from "node:path";

const [kind, port, bytes, folder] = process.argv.slice(2);
const empty = JSON.stringify({ patch: "", reason: null, encoding: "utf-8" });
const filler = "x".repeat(Math.max(0, Number(bytes) - empty.length));
const body = Buffer.from(JSON.stringify({ patch: filler, reason: null, encoding: "utf-8" }));

if (kind === "http") {
  const server = http.createServer((request, response) => {
    response.writeHead(200, { "Content-Type": "application/json", "Content-Length": body.length });
    response.end(body);
  });
  server.listen(Number(port), "127.0.0.1", 512);
} else {
  const express = createRequire(path.join(folder, "package.json"))("express");
  const app = express();
  app.use(express.json());
  app.get("/api/v2/contexts/:context/diffs/:diff/files/:file/patch", (request, response) => {
    response.type("application/json");
    response.send(body);
  });
  app.listen(Number(port), "127.0.0.1");
}
