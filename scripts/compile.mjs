/**
 * Compiles src to lib, and takes along the report's page, which is JavaScript and CSS as it stands. Where TypeScript
 * was left out (npm ci --omit=dev), lib stays as it is.
 */
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, rmSync } from "node:fs";

process.chdir(new URL("..", import.meta.url).pathname);
const PAGE = "report/html/page";

if (existsSync("node_modules/typescript")) {
  rmSync("lib", { recursive: true, force: true });
  execFileSync("node_modules/.bin/tsc", { stdio: "inherit" });
  cpSync(`src/${PAGE}`, `lib/${PAGE}`, { recursive: true, filter: (path) => !path.endsWith(".json") });
} else {
  console.error("TypeScript is not installed, so lib was not compiled.");
}
