/**
 * Compiles src to lib, copies the scripts that adapters write, bundles the pages of the explorer and of the HTML report,
 * and writes the schemas of contract and config files. Where TypeScript was left out (npm ci --omit=dev), lib stays as it is.
 */
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";

process.chdir(new URL("..", import.meta.url).pathname);
const NOT_COPIED = /\.(?:ts|json)$/;
/** What runs in browsers only is bundled, and not copied. */
const PAGE = /^src\/\w+\/page$/;

if (existsSync("node_modules/typescript")) {
  rmSync("lib", { recursive: true, force: true });
  execFileSync("node_modules/.bin/tsc", { stdio: "inherit" });
  const isCopied = (path) => !NOT_COPIED.test(path) && !PAGE.test(path);
  cpSync("src", "lib", { recursive: true, filter: (path, copy) => isCopied(path) && isNew(path, copy) });
  await bundlePages();
  await describeUser();
  await writeSchemas();
} else {
  console.error("TypeScript is not installed, so lib was not compiled.");
}

/** A script must not replace what a file of TypeScript beside it was compiled to. Node 26's `errorOnExist` refuses folders too. */
function isNew(path, copy) {
  if (statSync(path).isFile() && existsSync(copy)) throw new Error(`${path} would replace ${copy}.`);
  return true;
}

/** Makes a script and a style of each page: the same bytes from the same sources. */
async function bundlePages() {
  cpSync("src/explorer/page/icon.svg", "lib/explorer/icon.svg");
  const { build } = await import("esbuild");
  const options = { bundle: true, minify: true, target: "es2022", logLevel: "warning" };
  const [explorer, report] = ["src/explorer/page", "src/report/page"];
  await build({
    ...{ ...options, format: "esm", charset: "utf8", outdir: "lib/explorer" },
    entryPoints: { app: `${explorer}/main.ts`, style: `${explorer}/style.css` },
  });
  // It goes into the report itself, which has no invisible characters: they stay escaped.
  await build({
    ...{ ...options, format: "iife", charset: "ascii", outdir: "lib/report/page" },
    entryPoints: [`${report}/main.ts`, `${report}/style.css`],
  });
}

/** Writes the type of users out, field by field, so that editors show what each means. */
async function describeUser() {
  const { USERS_CONTRACT } = await import("../lib/contract/contract.js");
  const { toTypeScript } = await import("../lib/contract/typescript.js");
  const file = "lib/contract/users.d.ts";
  const text = readFileSync(file, "utf8");
  const derived = /(?:\/\*\*[^\n]*\*\/\n)?export type User = [^\n]*\n/;
  if (!derived.test(text)) throw new Error(`${file} has no type User to write out.`);
  writeFileSync(
    file,
    text.replace(derived, () => toTypeScript(USERS_CONTRACT)),
  );
}

/** Writes the schemas of contract and config files, for editors. */
async function writeSchemas() {
  const { contractSchema } = await import("../lib/contract/file/shapes.js");
  const { configSchema } = await import("../lib/settings/settings.js");
  for (const [file, schema] of [
    ["contract.schema.json", contractSchema()],
    ["config.schema.json", configSchema()],
  ]) {
    writeFileSync(file, `${JSON.stringify(schema, null, 2)}\n`);
  }
}
