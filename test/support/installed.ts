/** Programs and modules that are not npm's: a test that needs them is skipped aloud, or fails where all must run. */
import { accessSync, constants, existsSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, join } from "node:path";
import { describe } from "vitest";

/** Set where everything is installed, so that a skipped test would be a gap: to anything but nothing. */
const ALL = "ROLLCALL_TEST_ALL";

/** Engines of other hosts, in a folder with a lockfile of its own: `npm ci --prefix test/engines`. */
const ENGINES = new URL("../engines/", import.meta.url);

/** Where an engine of npm's is installed, to be named as something that a test needs. */
export function engine(name: string): string {
  return new URL(`node_modules/${name}`, ENGINES).pathname;
}

/** An engine as a module. */
export function loadEngine<T>(name: string): T {
  return createRequire(new URL("package.json", ENGINES))(name) as T;
}

/** Servers are often outside the PATH of who is not root. */
const FOLDERS = [...(process.env["PATH"] ?? "").split(delimiter), "/usr/sbin", "/sbin"];

/**
 * Whether all of these are there, for `describe.skipIf`: names of programs, or absolute paths of files.
 * @throws Error when one is missing and ROLLCALL_TEST_ALL is set.
 */
export function isMissing(...names: readonly string[]): boolean {
  const missing = names.filter((name) => findProgram(name) === undefined);
  if (missing.length === 0) return false;
  const what = `${missing.map(describeNeed).join(", ")}: not installed`;
  if (process.env[ALL]) throw new Error(`${what}, and ${ALL} is set.`);
  process.stderr.write(`Skipped tests that need ${what}.\n`);
  return true;
}

/** A suite of tests that need this program, given where it is; skipped by name without it, or failing as above. */
export function describeWith(program: string, name: string, tests: (path: string) => void): void {
  const path = findProgram(program);
  const mustRun = Boolean(process.env[ALL]);
  describe.skipIf(path === undefined && !mustRun)(`${name} (needs ${program})`, () => tests(path ?? program));
}

/** The path of a program, or undefined when it is not installed. */
export function findProgram(name: string): string | undefined {
  if (name.startsWith("/")) return existsSync(name) ? name : undefined;
  return FOLDERS.map((folder) => join(folder, name)).find(isExecutable);
}

function describeNeed(name: string): string {
  const folder = new URL("node_modules/", ENGINES).pathname;
  return name.startsWith(folder) ? `${name.slice(folder.length)} (npm ci --prefix test/engines)` : name;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
