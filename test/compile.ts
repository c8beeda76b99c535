/** Compiles src to lib before tests that run the real command, unless lib is newer than all of src. */
import { execFileSync } from "node:child_process";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
/** The last file that compiling writes. */
const STAMP = join(ROOT, "config.schema.json");

export default function compile(): void {
  const sources = [
    "src",
    ...readdirSync(join(ROOT, "src"), { recursive: true, encoding: "utf8" }).map((path) => join("src", path)),
  ];
  const newest = Math.max(...[...sources, "scripts/compile.mjs"].map((path) => modified(join(ROOT, path))));
  if (modified(STAMP) > newest) return;
  execFileSync("npm", ["run", "--silent", "compile"], { cwd: ROOT, stdio: "inherit" });
}

/** Milliseconds, or 0 where there is no such file. */
function modified(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
