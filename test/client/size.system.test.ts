/** The client is small, and needs nothing of Node. */
import { gzipSync } from "node:zlib";
import { build, type Metafile } from "esbuild";

import { expect, test } from "vitest";

const WHOLE = 'export * from "./src/client/index.js"';
/** A program that walks: what it does not import, such as the store in memory, is left out by every bundler. */
const WALKER = 'export { openListing } from "./src/client/index.js"';

/** Files of code by their names, each with those that it cannot do without; the program's own comes first. */
type Bundle = Map<string, { code: string; imports: readonly string[] }>;

async function withEsbuild(program: string): Promise<{ bundle: Bundle; meta: Metafile }> {
  const { outputFiles, metafile } = await build({
    ...{ stdin: { contents: program, resolveDir: process.cwd() }, bundle: true, splitting: true, format: "esm" },
    // An import of Node's, or of a package, is an error on this platform.
    ...{ minify: true, write: false, platform: "browser", target: "es2022", outdir: "out", metafile: true },
    logLevel: "silent",
  });
  const nameOf = (path: string) => path.split("/").at(-1) ?? "";
  const outputs = Object.entries(metafile.outputs).sort(([, one]) => (one.entryPoint === "<stdin>" ? -1 : 1));
  const files = outputs.map(([path, { imports }]) => {
    const code = outputFiles.find((file) => nameOf(file.path) === nameOf(path))?.text ?? "";
    const needed = imports.filter(({ kind }) => kind === "import-statement").map((own) => nameOf(own.path));
    return [nameOf(path), { code, imports: needed }] as const;
  });
  return { bundle: new Map(files), meta: metafile };
}

/** Names of the modules in the initial chunk, without those that are loaded later. */
function loadedAtOnce(bundle: Bundle): string[] {
  const found = new Set([...bundle.keys()].slice(0, 1));
  for (const name of found) for (const needed of bundle.get(name)?.imports ?? []) found.add(needed);
  return [...found];
}

function zipped(bundle: Bundle, names: readonly string[]): number {
  return gzipSync(names.map((name) => bundle.get(name)?.code).join(""), { level: 9 }).length;
}

test("contains only files of this repository, without Node modules", async () => {
  const { meta } = await withEsbuild(WHOLE);
  const inputs = Object.keys(meta.inputs).filter((path) => path !== "<stdin>");
  expect(inputs.length).toBeGreaterThan(20);
  expect(inputs.filter((path) => !/^src\/(client|core\/contract)\//.test(path))).toEqual([]);
  const imports = Object.values(meta.outputs).flatMap((output) => output.imports);
  expect(imports.filter(({ external }) => external)).toEqual([]);
});

test("what a walk loads is small, and so is everything", async () => {
  const [{ bundle: walker }, { bundle: whole }] = [await withEsbuild(WALKER), await withEsbuild(WHOLE)];
  const sizes = { walk: zipped(walker, loadedAtOnce(walker)), everything: zipped(whole, [...whole.keys()]) };
  process.stdout.write(`the client, minified and gzipped, in bytes: ${JSON.stringify(sizes)}\n`);
  expect(sizes.walk).toBeLessThanOrEqual(9500);
  expect(sizes.everything).toBeLessThanOrEqual(20_100);
});
