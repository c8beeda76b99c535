/**
 * Compiles src to lib, and copies what is not TypeScript: the report's page, and the scripts that adapters write. Where
 * TypeScript was left out (npm ci --omit=dev), lib stays as it is.
 */
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, rmSync } from "node:fs";

process.chdir(new URL("..", import.meta.url).pathname);
const NOT_COPIED = /\.(?:ts|json)$/;

if (existsSync("node_modules/typescript")) {
  rmSync("lib", { recursive: true, force: true });
  execFileSync("node_modules/.bin/tsc", { stdio: "inherit" });
  // A script must not replace what a file of TypeScript beside it was compiled to.
  cpSync("src", "lib", { recursive: true, filter: (path) => !NOT_COPIED.test(path), force: false, errorOnExist: true });
} else {
  console.error("TypeScript is not installed, so lib was not compiled.");
}
