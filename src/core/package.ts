/** Files of the package. Code that is bundled in `lib` finds them as code in `src` does. */
import { readFileSync } from "node:fs";

/** Two folders up, from `src/core` and from `lib/chunks`. */
const ROOT = new URL("../../", import.meta.url);

/** The URL of a file of the package. @param path relative to the package's folder: `lib/build/worker.js` */
export function packageFile(path: string): URL {
  return new URL(path, ROOT);
}

/** The version in package.json. */
export function packageVersion(): string {
  return JSON.parse(readFileSync(packageFile("package.json"), "utf8")).version;
}
