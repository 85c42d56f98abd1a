/**
 * Run the unit tests:  node tools/test.mjs [NAME ...]
 *
 * Node before 23 does not read TypeScript, so each test is bundled first, into a folder of its
 * own that goes away again.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";

const HERE = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const wanted = process.argv.slice(2);
const names = readdirSync(path.join(HERE, "test"))
  .filter((name) => name.endsWith(".test.ts"))
  .filter((name) => !wanted.length || wanted.some((part) => name.includes(part)));
if (!names.length) throw new Error("no test matches " + wanted.join(" "));

const folder = mkdtempSync(path.join(tmpdir(), "diffx-webui-"));
try {
  await esbuild.build({
    absWorkingDir: HERE,
    entryPoints: names.map((name) => "test/" + name),
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    sourcemap: "inline",
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    define: { "process.env.DIFFX_CONTRACTS": JSON.stringify(path.join(HERE, "../tests/contracts")) },
  });
  const built = names.map((name) => path.join(folder, name.replace(/\.ts$/, ".mjs")));
  const run = spawnSync(process.execPath, ["--enable-source-maps", "--test", ...built], {
    stdio: "inherit",
  });
  process.exitCode = run.status ?? 1;
} finally {
  rmSync(folder, { recursive: true });
}
