/** Programs and npm modules that tests use. Tests are skipped without them, see `needs`. */
import { createRequire } from "node:module";
import { needs } from "./needs.js";

/** Engines of other hosts, in a folder with its own lockfile: `npm ci --prefix test/engines`. */
const ENGINES = new URL("../engines/", import.meta.url);

/** The path at which an engine of npm's is installed, for `needs`. */
export function engine(name: string): string {
  return new URL(`node_modules/${name}`, ENGINES).pathname;
}

/** An engine as a module. */
export function loadEngine<T>(name: string): T {
  return createRequire(new URL("package.json", ENGINES))(name) as T;
}

/** The opposite of `needs`, for `skipIf`. */
export function isMissing(...names: readonly string[]): boolean {
  return !needs(...names);
}
