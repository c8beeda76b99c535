/**
 * Compiles src to lib, copies what is not TypeScript (the report's page, and the scripts that adapters write), and writes
 * the schemas of contract and config files. Where TypeScript was left out (npm ci --omit=dev), lib stays as it is.
 */
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";

process.chdir(new URL("..", import.meta.url).pathname);
const NOT_COPIED = /\.(?:ts|json)$/;

if (existsSync("node_modules/typescript")) {
  rmSync("lib", { recursive: true, force: true });
  execFileSync("node_modules/.bin/tsc", { stdio: "inherit" });
  // A script must not replace what a file of TypeScript beside it was compiled to.
  cpSync("src", "lib", { recursive: true, filter: (path) => !NOT_COPIED.test(path), force: false, errorOnExist: true });
  await describeUser();
  await writeSchemas();
} else {
  console.error("TypeScript is not installed, so lib was not compiled.");
}

/** Writes the type of users out, field by field, so that editors show what each means. */
async function describeUser() {
  const { USERS_CONTRACT } = await import("../lib/contract/contract.js");
  const { toTypeScript } = await import("../lib/contract/schema/typescript.js");
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
  const { contractSchema } = await import("../lib/contract/file/schema.js");
  const { configSchema } = await import("../lib/settings/settings.js");
  for (const [file, schema] of [
    ["contract.schema.json", contractSchema()],
    ["config.schema.json", configSchema()],
  ]) {
    writeFileSync(file, `${JSON.stringify(schema, null, 2)}\n`);
  }
}
