/** Bundles code for processes and threads that run without the test runner. */
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { buildSync } from "esbuild";
import { scratch } from "./files.js";

/** What code finds two folders up, as `src/core/package.ts` says, and the packages. */
const PACKAGE_FILES = ["data", "lib", "node_modules", "package.json"];
const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** Bundles a module with what it imports of src. @returns the URL of a file that is removed when the test ends. */
export function bundled(path: string): URL {
  const folder = scratch();
  for (const name of PACKAGE_FILES) symlinkSync(join(ROOT, name), join(folder, name));
  const outfile = join(folder, "bundled", "code", "module.mjs");
  buildSync({
    entryPoints: [join(ROOT, path)],
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    packages: "external",
  });
  return pathToFileURL(outfile);
}
