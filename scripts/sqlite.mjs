/**
 * Gives a checkout better-sqlite3 13 where Node can load it, after `npm ci` has installed the lock file's 12, which is the last for
 * Node 20. Node 24 ends a process that uses 12: docs/internals/dependencies.md says why.
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

process.chdir(new URL("..", import.meta.url).pathname);
const { version } = JSON.parse(readFileSync("node_modules/better-sqlite3/package.json", "utf8"));

/** The version of Node-API that 13 is compiled for. */
if (Number(process.versions.napi) >= 10 && version.startsWith("12.")) {
  execFileSync("npm", ["install", "--no-save", "--no-audit", "--no-fund", "better-sqlite3@13"], { stdio: "inherit" });
}
