/**
 * Build the web UI:  node build.mjs OUTDIR
 *
 * OUTDIR then holds index.html, the hashed files it needs, a .gz and a .br copy beside each file
 * that shrinks, assets.json (what each file is), and THIRD_PARTY.txt. Equal sources give equal
 * bytes in whatever folder they lie; esbuild hashes paths, so all paths it sees are relative.
 */
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import * as esbuild from "esbuild";

const HERE = path.dirname(fileURLToPath(import.meta.url));
const MOUNT = "/assets/";
const TYPES = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".wasm": "application/wasm",
};

/** Let `import module from "x.wasm"` give a compiled WebAssembly.Module of a hashed file. */
const streamedWasm = {
  name: "streamed-wasm",
  setup(build) {
    build.onResolve({ filter: /\.wasm$/ }, ({ path: name, resolveDir, namespace }) => {
      const file = path.resolve(resolveDir, name);
      if (namespace === "wasm-module") return { path: file };
      return { path: path.relative(HERE, file), namespace: "wasm-module" };
    });
    build.onLoad({ filter: /./, namespace: "wasm-module" }, ({ path: file }) => ({
      contents: `
        import name from ${JSON.stringify("./" + path.basename(file))};
        const answer = fetch(new URL(name, import.meta.url));
        export default await WebAssembly.compileStreaming(answer);`,
      resolveDir: path.join(HERE, path.dirname(file)),
    }));
  },
};

/** Let `import text from "x.css?sheet"` give a minified style sheet, for a part that comes later. */
const laterStyles = {
  name: "later-styles",
  setup(build) {
    build.onResolve({ filter: /\.css\?sheet$/ }, ({ path: name, resolveDir }) => {
      const file = path.resolve(resolveDir, name.slice(0, name.indexOf("?")));
      return { path: path.relative(HERE, file), namespace: "later-styles" };
    });
    build.onLoad({ filter: /./, namespace: "later-styles" }, async ({ path: file }) => {
      const text = readFileSync(path.join(HERE, file), "utf8");
      const { code } = await esbuild.transform(text, { loader: "css", minify: true, target: common.target });
      return { contents: code, loader: "text" };
    });
  },
};

const common = {
  absWorkingDir: HERE,
  bundle: true,
  minify: true,
  format: "esm",
  target: ["chrome123", "firefox128", "safari17.5"],
  charset: "utf8",
  legalComments: "none",
  jsx: "automatic",
  jsxImportSource: "preact",
  entryNames: "[name]-[hash]",
  chunkNames: "[name]-[hash]",
  assetNames: "[name]-[hash]",
  loader: { ".wasm": "file" },
  write: false,
  outdir: "out",
  metafile: true,
};

async function bundle() {
  const worker = await esbuild.build({
    ...common,
    entryPoints: ["src/highlight/worker.ts"],
    conditions: ["workerd"],
    plugins: [streamedWasm],
  });
  const main = await esbuild.build({
    ...common,
    entryPoints: ["src/main.tsx"],
    splitting: true,
    plugins: [laterStyles],
    define: { WORKER_URL: JSON.stringify(MOUNT + named(worker, /^worker-.*\.js$/)) },
  });
  const files = new Map();
  for (const { path: file, contents } of [...worker.outputFiles, ...main.outputFiles]) {
    files.set(path.basename(file), Buffer.from(contents));
  }
  files.set("index.html", Buffer.from(page(main)));
  return { files, inputs: [worker, main].flatMap((one) => Object.keys(one.metafile.inputs)) };
}

function named(result, pattern) {
  const names = result.outputFiles.map((file) => path.basename(file.path));
  const found = names.find((name) => pattern.test(name));
  if (!found) throw new Error(`no output matches ${pattern} among ${names.join(", ")}`);
  return found;
}

function page(main) {
  const style = MOUNT + named(main, /^main-.*\.css$/);
  const script = MOUNT + named(main, /^main-.*\.js$/);
  return readFileSync(path.join(HERE, "index.html"), "utf8")
    .replace("main.css", style)
    .replace("main.js", script)
    .replace("</head>", firstParts(main).map((part) => `<link rel="modulepreload" href="${MOUNT + part}">\n`).join("") + "</head>");
}

/** The parts that the first script cannot start without: asked for along with it. */
function firstParts({ metafile }) {
  const entry = Object.keys(metafile.outputs).find((name) => metafile.outputs[name].entryPoint === "src/main.tsx");
  const found = new Set();
  const follow = (output) => {
    for (const { path: part, kind } of metafile.outputs[output].imports) {
      if (kind !== "import-statement" || found.has(part)) continue;
      found.add(part);
      follow(part);
    }
  };
  follow(entry);
  return [...found].map((part) => path.basename(part)).sort();
}

/** Node's gzip header has no time in it, but it names the operating system. */
function gzip(data) {
  const packed = gzipSync(data, { level: 9 });
  packed[9] = 255;
  return packed;
}

function brotli(data) {
  const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_SIZE_HINT } = constants;
  const params = { [BROTLI_PARAM_QUALITY]: 11, [BROTLI_PARAM_SIZE_HINT]: data.length };
  return brotliCompressSync(data, { params });
}

function write(outdir, files) {
  mkdirSync(outdir, { recursive: true });
  for (const old of readdirSync(outdir)) rmSync(path.join(outdir, old), { recursive: true });
  const listed = {};
  for (const name of [...files.keys()].sort()) {
    const data = files.get(name);
    const copies = { gzip: [".gz", gzip(data)], br: [".br", brotli(data)] };
    const entry = {
      type: TYPES[path.extname(name)],
      sha256: createHash("sha256").update(data).digest("hex"),
      size: data.length,
    };
    writeFileSync(path.join(outdir, name), data);
    for (const [kind, [ending, packed]] of Object.entries(copies)) {
      entry[kind] = packed.length < data.length;
      if (entry[kind]) writeFileSync(path.join(outdir, name + ending), packed);
    }
    listed[name] = entry;
  }
  const index = JSON.stringify({ files: listed }, null, 1) + "\n";
  writeFileSync(path.join(outdir, "assets.json"), index);
}

/** The licences and notices of every package with code in the result. */
function thirdParty(inputs) {
  const pattern = /node_modules\/((?:@[^/]+\/)?[^/]+)\//;
  const names = new Set(inputs.map((file) => pattern.exec(file)?.[1]).filter(Boolean));
  const parts = [...names].sort().map((name) => {
    const folder = path.join(HERE, "node_modules", name);
    const { version, license } = JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8"));
    const texts = readdirSync(folder).filter((file) => /^(licen[cs]e|notice)/i.test(file)).sort();
    if (!texts.length) throw new Error(`${name} ships no licence text`);
    const bodies = texts.map((file) => readFileSync(path.join(folder, file), "utf8").trim());
    return [`${name} ${version} (${license})`, ...bodies].join("\n\n");
  });
  const rule = "\n\n" + "=".repeat(78) + "\n\n";
  return "The web UI contains these packages." + rule + parts.join(rule) + "\n";
}

const outdir = process.argv[2];
if (!outdir) {
  console.error("usage: node build.mjs OUTDIR");
  process.exit(2);
}
const { files, inputs } = await bundle();
write(outdir, files);
writeFileSync(path.join(outdir, "THIRD_PARTY.txt"), thirdParty(inputs));
