/** The client is small, and needs nothing of Node. */
import { gzipSync } from "node:zlib";
import { build, type Metafile } from "esbuild";
import { rolldown } from "rolldown";
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

async function withRolldown(program: string): Promise<Bundle> {
  const input = `${process.cwd()}/program.js`;
  const plugin = { name: "program", resolveId: (id: string) => (id === input ? id : null) };
  const load = (id: string) => (id === input ? program : null);
  const bundle = await rolldown({ input, platform: "browser", plugins: [{ ...plugin, load }] });
  const { output } = await bundle.generate({ format: "esm", minify: true });
  const chunks = output.filter((file) => file.type === "chunk").sort((one) => (one.isEntry ? -1 : 1));
  return new Map(chunks.map(({ fileName, code, imports }) => [fileName, { code, imports }]));
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
  expect(inputs.filter((path) => !/^src\/(client|contract)\//.test(path))).toEqual([]);
  const imports = Object.values(meta.outputs).flatMap((output) => output.imports);
  expect(imports.filter(({ external }) => external)).toEqual([]);
});

/** Bytes, minified and gzipped: loaded at once by a program that walks, and everything with the file that the first call loads. */
test.each([
  { name: "Rolldown", bundle: withRolldown, walk: 4400, everything: 16_000 },
  {
    name: "esbuild",
    bundle: async (program: string) => (await withEsbuild(program)).bundle,
    walk: 4600,
    everything: 16_700,
  },
])(
  "by $name what is loaded at once is small, and everything else is one file, which the first call loads",
  async (limits) => {
    const [walker, whole] = [await limits.bundle(WALKER), await limits.bundle(WHOLE)];
    const sizes = { walk: zipped(walker, loadedAtOnce(walker)), everything: zipped(whole, [...whole.keys()]) };
    process.stdout.write(`the client by ${limits.name}, minified and gzipped: ${JSON.stringify(sizes)}\n`);
    expect(sizes.walk).toBeLessThanOrEqual(limits.walk);
    expect(sizes.everything).toBeLessThanOrEqual(limits.everything);
    const later = [...whole.keys()].filter((name) => !loadedAtOnce(whole).includes(name));
    expect(later).toEqual([expect.stringMatching(/^lazy-/)]);
  },
);
