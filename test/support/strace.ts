/** System faults in a real process: strace makes one system call fail, or kills the process there. */
import { spawn } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { CLI, type Ended, whenEnded } from "./command.js";

/** Calls that find, read, write, move and remove files. */
const CALLS = [
  ...["access", "openat", "statx", "readlink", "getdents64", "read", "pread64", "write", "writev", "pwrite64"],
  ...["ftruncate", "fsync", "fdatasync", "link", "linkat", "symlink", "symlinkat", "rename", "renameat"],
  ...["renameat2", "unlink", "unlinkat", "mkdir", "mkdirat", "rmdir", "chmod", "fchmod", "utimensat"],
];

/** Stops the process only at traced calls. */
const FAST = "--seccomp-bpf";

/** Fixes the clock and random names, so that each run makes the same calls on the same paths. */
const PRELOAD = `
  import crypto from "node:crypto";
  import { syncBuiltinESMExports } from "node:module";
  let drawn = 0;
  crypto.randomUUID = () => "00000000-0000-4000-8000-" + String(drawn++).padStart(12, "0");
  crypto.randomBytes = (length) => Buffer.alloc(length, drawn++);
  syncBuiltinESMExports();
  const now = Date.UTC(2026, 2, 1);
  globalThis.Date = class extends Date {
    constructor(...given) { super(...(given.length > 0 ? given : [now])); }
    static now() { return now; }
  };`;

/** The N-th call of a kind for one path. */
export interface Call {
  name: string;
  path: string;
  when: number;
  /** As strace shows it. */
  text: string;
}

/** The fault of a call: `error=EIO`, `signal=SIGKILL`. */
export type Fault = `error=${string}` | `signal=${string}`;

/** Paths in a call's arguments: in quotes, or in angle brackets after a descriptor. */
function findPath(given: string, folder: string): string | undefined {
  const paths = [...given.matchAll(/["<](\/[^">]*)/g)].map(([, path = ""]) => path);
  const [, relative] = /^"([^"/][^"]*)"/.exec(given) ?? [];
  return paths.find((path) => path.startsWith(folder)) ?? relative;
}

/** Runs the command in a folder and lists its calls with paths there. */
export async function listCalls(args: readonly string[], folder: string): Promise<[Ended, Call[]]> {
  const [ended, log] = await straced([FAST, "-y", "-e", `trace=${CALLS.join(",")}`], args, folder);
  const counts = new Map<string, number>();
  const calls: Call[] = [];
  for (const line of log.split("\n")) {
    const [, thread, name, rest = ""] = /^(\d+) +(\w+)\((.*)/.exec(line) ?? [];
    const path = findPath(rest.replaceAll(/AT_FDCWD<[^>]*>, /g, ""), folder);
    if (thread === undefined || name === undefined || path === undefined) continue;
    const key = `${thread} ${name} ${path}`;
    const when = (counts.get(key) ?? 0) + 1;
    counts.set(key, when);
    calls.push({ name, path, when, text: line });
  }
  return [ended, calls];
}

/**
 * Runs the command with one call going wrong.
 * @returns whether it came to that call, too: names that hold the time are others in another run.
 */
export async function runWith(
  fault: Fault,
  { name, path, when }: Call,
  args: readonly string[],
  cwd: string,
): Promise<Ended & { isHit: boolean }> {
  const inject = ["-P", path, "-e", `trace=${name}`, "-e", `inject=${name}:${fault}:when=${when}`];
  // strace 6.1 cannot inject signals with this option.
  if (fault.startsWith("error")) inject.unshift(FAST);
  const [ended, log] = await straced(inject, args, cwd);
  return { ...ended, isHit: ended.code === "SIGKILL" || log.includes("(INJECTED)") };
}

async function straced(
  options: readonly string[],
  args: readonly string[],
  cwd: string,
): Promise<[Ended, log: string]> {
  const file = `${cwd}.strace`;
  const child = spawn("strace", ["-f", "-qq", ...options, "-o", file, process.execPath, CLI, ...args], {
    cwd,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...process.env,
      // With one thread for asynchronous calls, they come in the same order every time.
      UV_THREADPOOL_SIZE: "1",
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(PRELOAD)}`,
    },
  });
  const { stderr, ...ended } = await whenEnded(child);
  const log = readFileSync(file, "utf8");
  rmSync(file);
  // strace resolves paths.
  return [{ ...ended, stderr: stderr.replace(/^strace: .*\n/gm, "") }, log];
}
