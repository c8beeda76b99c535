/**
 * Compiles src to lib: bundles the entries with their packages, the explorer and the HTML report, and writes declarations, the
 * licences of what is bundled, and the schema of config files. Without TypeScript (npm ci --omit=dev), lib is not changed.
 */
import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { join } from "node:path";

process.chdir(new URL("..", import.meta.url).pathname);

/** The command line, what the package exports, and worker threads. All of them share chunks. */
const ENTRIES = [
  "src/cli/cli.ts",
  "src/index.ts",
  "src/client/index.ts",
  "src/build/worker.ts",
  "src/build/views/worker.ts",
  "src/verify/disk/worker.ts",
  "src/verify/disk/view-worker.ts",
];

/** The folder of a package, and its name. */
const PACKAGE = /^node_modules\/(?:.+\/node_modules\/)?((?:@[^/]+\/)?[^/]+)/;
const LICENSE = /^licen[cs]e\b/i;

if (existsSync("node_modules/typescript")) {
  rmSync("lib", { recursive: true, force: true });
  execFileSync("node_modules/.bin/tsc", { stdio: "inherit" });
  const esbuild = await import("esbuild");
  const bundled = await bundleEntries(esbuild);
  writeLicenses(bundled);
  await bundlePages(esbuild);
  await writeConfigSchema();
} else {
  console.error("TypeScript is not installed, so lib was not compiled.");
}

/**
 * Bundles the entries. The command line loads what a verb needs when it runs.
 * @returns the bundled files.
 */
async function bundleEntries({ build }) {
  // Packages that have a compiled part, that are optional, or that few runs need.
  const external = ["better-sqlite3", "csv-parse", "@aws-sdk/client-s3"];
  const { metafile } = await build({
    entryPoints: ENTRIES,
    outbase: "src",
    outdir: "lib",
    // `src/core/package.ts` relies on the depth of this folder.
    chunkNames: "chunks/[name]-[hash]",
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    // jsonc-parser's main file cannot be bundled.
    mainFields: ["module", "main"],
    external,
    plugins: [builtinsOfPackages()],
    target: "node20",
    // Node reads half as many bytes. Names stay, for stacks.
    minifyWhitespace: true,
    minifySyntax: true,
    sourcemap: true,
    sourcesContent: false,
    metafile: true,
    logLevel: "warning",
  });
  // npm sets this only when it installs: a link of `npm install --global .` would lose it.
  chmodSync("lib/cli/cli.js", 0o755);
  return Object.values(metafile.outputs).flatMap(({ inputs }) => Object.keys(inputs));
}

/** A plugin: bundled CommonJS packages load Node's modules, although ES modules have no `require`. */
function builtinsOfPackages() {
  return {
    name: "builtins of packages",
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /./ }, ({ path, kind }) =>
        kind === "require-call" && isBuiltin(path) ? { path, namespace: "builtin" } : undefined,
      );
      onLoad({ filter: /./, namespace: "builtin" }, ({ path }) => ({
        contents: `module.exports = process.getBuiltinModule(${JSON.stringify(path)});`,
      }));
    },
  };
}

/** Writes the licences of all packages that bundled files are from. */
function writeLicenses(bundled) {
  const folders = new Map();
  for (const path of bundled) {
    const [folder, name] = PACKAGE.exec(path) ?? [];
    if (name !== undefined) folders.set(name, folder);
  }
  const texts = [...folders].sort().map(([name, folder]) => {
    const { version, license, author } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    const file = readdirSync(folder).find((entry) => LICENSE.test(entry));
    const text = file ? readFileSync(join(folder, file), "utf8").trim() : `${license}, by ${author?.name ?? author}`;
    return `${name} ${version}\n\n${text}\n`;
  });
  writeFileSync("lib/licenses.txt", texts.join(`\n${"-".repeat(80)}\n\n`));
}

/** Bundles the script and style of each page, reproducibly. */
async function bundlePages({ build }) {
  cpSync("src/explorer/page/icon.svg", "lib/explorer/icon.svg");
  const options = { bundle: true, minify: true, target: "es2022", logLevel: "warning" };
  const [explorer, report] = ["src/explorer/page", "src/diff/report/page"];
  await build({
    ...{ ...options, format: "esm", charset: "utf8", outdir: "lib/explorer" },
    entryPoints: {
      app: `${explorer}/main.ts`,
      charts: `${explorer}/charts.ts`,
      site: `${explorer}/site.ts`,
      style: `${explorer}/style.css`,
      views: `${explorer}/views.ts`,
    },
    // Loaded when they are needed, from beside app.js.
    external: ["./charts.js", "./views.js"],
  });
  // Escaped, since it becomes part of the report, which must not contain invisible characters.
  await build({
    ...{ ...options, format: "iife", charset: "ascii", outdir: "lib/diff/report/page" },
    entryPoints: [`${report}/main.ts`, `${report}/style.css`],
  });
}

/** Writes the schema of config files, for editors. It refers to contract.schema.json. */
async function writeConfigSchema() {
  const { tsImport } = await import("tsx/esm/api");
  const { configSchema } = await tsImport("../src/core/settings/settings.ts", import.meta.url);
  writeFileSync("config.schema.json", `${JSON.stringify(configSchema(), null, 2)}\n`);
}
