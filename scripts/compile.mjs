/**
 * Compiles src to lib, copies scripts of hosts, bundles the explorer and the HTML report, and writes the schema of config
 * files. Without TypeScript (npm ci --omit=dev), lib is not changed.
 */
import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, rmSync, statSync, writeFileSync } from "node:fs";

process.chdir(new URL("..", import.meta.url).pathname);
const NOT_COPIED = /\.(?:ts|json)$/;
/** Whether a file is copied. Browser code is bundled instead. */
const PAGE = /^src\/(?:\w+\/)+page$/;

if (existsSync("node_modules/typescript")) {
  rmSync("lib", { recursive: true, force: true });
  execFileSync("node_modules/.bin/tsc", { stdio: "inherit" });
  // npm sets this only when it installs: a link of `npm install --global .` would lose it.
  chmodSync("lib/cli/cli.js", 0o755);
  const isCopied = (path) => !NOT_COPIED.test(path) && !PAGE.test(path);
  cpSync("src", "lib", { recursive: true, filter: (path, copy) => isCopied(path) && isNew(path, copy) });
  await bundlePages();
  await writeConfigSchema();
} else {
  console.error("TypeScript is not installed, so lib was not compiled.");
}

/** Fails if a script would replace a compiled file. Node 26's `errorOnExist` refuses folders too. */
function isNew(path, copy) {
  if (statSync(path).isFile() && existsSync(copy)) throw new Error(`${path} would replace ${copy}.`);
  return true;
}

/** Bundles the script and style of each page, reproducibly. */
async function bundlePages() {
  cpSync("src/explorer/page/icon.svg", "lib/explorer/icon.svg");
  const { build } = await import("esbuild");
  const options = { bundle: true, minify: true, target: "es2022", logLevel: "warning" };
  const [explorer, report] = ["src/explorer/page", "src/diff/report/page"];
  await build({
    ...{ ...options, format: "esm", charset: "utf8", outdir: "lib/explorer" },
    entryPoints: {
      app: `${explorer}/main.ts`,
      charts: `${explorer}/charts.ts`,
      site: `${explorer}/site.ts`,
      style: `${explorer}/style.css`,
    },
    // Loaded when it is needed, from beside app.js.
    external: ["./charts.js"],
  });
  // Escaped, since it becomes part of the report, which must not contain invisible characters.
  await build({
    ...{ ...options, format: "iife", charset: "ascii", outdir: "lib/diff/report/page" },
    entryPoints: [`${report}/main.ts`, `${report}/style.css`],
  });
}

/** Writes the schema of config files, for editors. It refers to contract.schema.json. */
async function writeConfigSchema() {
  const { configSchema } = await import("../lib/core/settings/settings.js");
  writeFileSync("config.schema.json", `${JSON.stringify(configSchema(), null, 2)}\n`);
}
