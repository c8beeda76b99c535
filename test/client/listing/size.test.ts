/** What a reader of a listing downloads: little, and nothing that only Node has. */
import { gzipSync } from "node:zlib";
import { build, type Metafile } from "esbuild";
import { beforeAll, expect, test } from "vitest";

const ENTRY = "src/client/index.ts";
/** Bytes, minified and gzipped. */
const WALK = 6000;
/** With what is loaded when it is asked for. */
const ALL = 15_000;

let files: Map<string, Uint8Array>;
let meta: Metafile;
beforeAll(async () => {
  const result = await build({
    ...{ entryPoints: [ENTRY], bundle: true, splitting: true, format: "esm", minify: true, write: false },
    // An import of Node's, or of a package, is an error on this platform.
    ...{ platform: "browser", target: "es2022", outdir: "out", metafile: true, logLevel: "silent" },
  });
  files = new Map(result.outputFiles.map(({ path, contents }) => [nameOf(path), contents]));
  meta = result.metafile;
});

const nameOf = (path: string) => path.split("/").at(-1) ?? "";

/** What is loaded with these: not what is loaded later. */
function loadedWith(names: readonly string[]): string[] {
  const outputs = new Map(Object.entries(meta.outputs).map(([path, output]) => [nameOf(path), output]));
  const found = new Set(names);
  for (const name of found) {
    for (const { kind, path } of outputs.get(name)?.imports ?? [])
      if (kind === "import-statement") found.add(nameOf(path));
  }
  return [...found];
}

function zipped(names: readonly string[]): number {
  return gzipSync(Buffer.concat(names.map((name) => files.get(name) ?? Buffer.alloc(0))), { level: 9 }).length;
}

test("only files of this repository are in it, and none of them is for Node", () => {
  const inputs = Object.keys(meta.inputs);
  expect(inputs.filter((path) => !/^src\/(client|contract)\//.test(path))).toEqual([]);
  const imports = Object.values(meta.outputs).flatMap(({ imports }) => imports);
  expect(imports.filter(({ external }) => external)).toEqual([]);
});

test("a walk with its proofs is small, and the rest is loaded when it is asked for", () => {
  const sizes = { walk: zipped(loadedWith(["index.js"])), all: zipped([...files.keys()]) };
  process.stdout.write(`the client, minified and gzipped: ${JSON.stringify(sizes)}\n`);
  expect(sizes.walk).toBeLessThanOrEqual(WALK);
  expect(sizes.all).toBeLessThanOrEqual(ALL);
  const later = [...files.keys()].filter((name) => !loadedWith(["index.js"]).includes(name));
  const names = later.map((name) => name.replace(/-.*/, "")).filter((name) => name !== "chunk");
  expect(names.sort()).toEqual(["bulk", "copy", "seldom", "signed", "sync", "unproved"]);
});
