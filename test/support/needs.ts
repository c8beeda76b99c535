/** Requirements of tests. Each is probed by using it once; without it, the test is skipped. */
import { execFileSync } from "node:child_process";
import { accessSync, constants, existsSync } from "node:fs";
import { delimiter, join } from "node:path";

/** Set to any value where everything is installed, so that no test may be skipped. */
const ALL = "ROLLCALL_TEST_ALL";

/** PATH of an ordinary user often lacks the folders of servers. */
const FOLDERS = [...(process.env["PATH"] ?? "").split(delimiter), "/usr/sbin", "/sbin"];

/** Requirements that a container may have but not allow. Each probe throws if it does not work. */
const PROBES: Record<string, () => unknown> = {
  root: () => execFileSync("setpriv", ["--reuid=65534", "--clear-groups", "true"], QUIET),
  strace: () => execFileSync("strace", ["-f", "-qq", "-o", "/dev/null", "-e", "trace=fsync", "true"], QUIET),
  /** A mount namespace that an ordinary user makes. */
  userns: () => execFileSync("unshare", ["--map-root-user", "--mount", "mount", "-t", "tmpfs", "tmpfs", "/mnt"], QUIET),
};
const QUIET = { stdio: "ignore" } as const;

const met = new Map<string, boolean>();

/**
 * Whether the machine has all of these: `root`, `strace`, `userns`, names of programs, or absolute paths of files.
 * Says on stderr what is missing. @throws Error when one is missing and ROLLCALL_TEST_ALL is set.
 */
export function needs(...names: readonly string[]): boolean {
  const missing = names.filter((name) => !isMet(name));
  if (missing.length === 0) return true;
  const what = missing.map((name) => name.replace(/^.*\/test\/engines\/node_modules\/(.*)/, ENGINE)).join(", ");
  if (process.env[ALL]) throw new Error(`Tests need ${what}, which this machine lacks, and ${ALL} is set.`);
  process.stderr.write(`Skipped tests that need ${what}.\n`);
  return false;
}

const ENGINE = "$1 (npm ci --prefix test/engines)";

function isMet(name: string): boolean {
  const known = met.get(name) ?? probe(name);
  met.set(name, known);
  return known;
}

function probe(name: string): boolean {
  const own = PROBES[name];
  if (!own) return findProgram(name) !== undefined;
  try {
    own();
    return true;
  } catch {
    return false;
  }
}

/** The path of a program, or undefined when it is not installed. */
export function findProgram(name: string): string | undefined {
  if (name.startsWith("/")) return existsSync(name) ? name : undefined;
  return FOLDERS.map((folder) => join(folder, name)).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
