/** What a reader of a listing downloads: little, and nothing that only Node has. */
import { gzipSync } from "node:zlib";
import { type BuildOptions, build, type Metafile } from "esbuild";
import { beforeAll, expect, test } from "vitest";

/** A program that walks: what it does not import, such as the store in memory, is left out by every bundler. */
const WALKER = 'export { openListing } from "./src/client/index.js"';
const ENTRY = "src/client/index.ts";
/** Bytes, minified and gzipped. */
const WALK = 6000;
/** With what is loaded when it is asked for. */
const ALL = 15_950;

interface Bundle {
  files: Map<string, Uint8Array>;
  meta: Metafile;
}

let whole: Bundle;
let walker: Bundle;
beforeAll(async () => {
  whole = await bundle({ entryPoints: [ENTRY] });
  walker = await bundle({ stdin: { contents: WALKER, resolveDir: process.cwd() } });
});

async function bundle(entry: BuildOptions): Promise<Bundle> {
  const { outputFiles, metafile } = await build({
    ...{ ...entry, bundle: true, splitting: true, format: "esm", minify: true, write: false },
    // An import of Node's, or of a package, is an error on this platform.
    ...{ platform: "browser", target: "es2022", outdir: "out", metafile: true, logLevel: "silent" },
  });
  return { files: new Map(outputFiles.map(({ path, contents }) => [nameOf(path), contents])), meta: metafile };
}

const nameOf = (path: string) => path.split("/").at(-1) ?? "";

/** What is loaded with these: not what is loaded later. */
function loadedWith({ meta }: Bundle, names: readonly string[]): string[] {
  const outputs = new Map(Object.entries(meta.outputs).map(([path, output]) => [nameOf(path), output]));
  const found = new Set(names);
  for (const name of found) {
    for (const { kind, path } of outputs.get(name)?.imports ?? [])
      if (kind === "import-statement") found.add(nameOf(path));
  }
  return [...found];
}

function zipped({ files }: Bundle, names: readonly string[]): number {
  return gzipSync(Buffer.concat(names.map((name) => files.get(name) ?? Buffer.alloc(0))), { level: 9 }).length;
}

test("only files of this repository are in it, and none of them is for Node", () => {
  const { meta } = whole;
  const inputs = Object.keys(meta.inputs);
  expect(inputs.filter((path) => !/^src\/(client|contract)\//.test(path))).toEqual([]);
  const imports = Object.values(meta.outputs).flatMap(({ imports }) => imports);
  expect(imports.filter(({ external }) => external)).toEqual([]);
});

test("a walk with its proofs is small, and the rest is loaded when it is asked for", () => {
  const all = [...whole.files.keys()];
  const sizes = { walk: zipped(walker, loadedWith(walker, ["stdin.js"])), all: zipped(whole, all) };
  process.stdout.write(`the client, minified and gzipped: ${JSON.stringify(sizes)}\n`);
  expect(sizes.walk).toBeLessThanOrEqual(WALK);
  expect(sizes.all).toBeLessThanOrEqual(ALL);
  const later = all.filter((name) => !loadedWith(whole, ["index.js"]).includes(name));
  const names = later.map((name) => name.replace(/-.*/, "")).filter((name) => name !== "chunk");
  expect(names.sort()).toEqual(["bulk", "find", "seldom", "signed", "sync", "unproved"]);
});
