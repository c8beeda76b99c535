/**
 * `npm run pack [FILE]`: packs the compiled package for `npm publish FILE`, without the scripts and development fields of
 * package.json. npm would run `prepare` in an unpacked package.
 */
import { execFileSync } from "node:child_process";
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";

const ROOT = new URL("..", import.meta.url).pathname;
const pack = (cwd, ...options) =>
  JSON.parse(execFileSync("npm", ["pack", "--json", "--ignore-scripts", ...options], { cwd, encoding: "utf8" }))[0];

const { scripts, devDependencies, allowScripts, knip, ...published } = JSON.parse(
  readFileSync(join(ROOT, "package.json"), "utf8"),
);
const folder = mkdtempSync(join(tmpdir(), "rollcall-pack-"));
try {
  for (const { path } of pack(ROOT, "--dry-run").files) cpSync(join(ROOT, path), join(folder, path));
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(published, null, 2)}\n`);
  const { filename } = pack(folder);
  const file = resolve(process.argv[2] ?? filename);
  mkdirSync(dirname(file), { recursive: true });
  copyFileSync(join(folder, filename), file);
  console.log(file);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
