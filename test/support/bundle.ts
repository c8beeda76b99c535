/** Bundles code for processes and threads that run without the test runner. */
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { buildSync } from "esbuild";
import { scratch } from "./files.js";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** Bundles a module with what it imports of src. @returns the URL of a file that is removed when the test ends. */
export function bundled(path: string): URL {
  const folder = scratch();
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  const outfile = join(folder, "bundled.mjs");
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
