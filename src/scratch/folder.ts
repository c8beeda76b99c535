/** A temporary folder for what a run writes and nobody keeps. Folders that killed processes have left are removed. */
import { once } from "node:events";
import { existsSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { lstat, readdir, rename, rm } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { codeOf, hasCode, UserError } from "../errors.js";
import { sha256 } from "../release/files.js";

/** @param verb whose folder it is, which its name says. @throws UserError when no folder can be made. */
export async function makeScratch(verb: "diff" | "dev" | "verify" = "diff"): Promise<string> {
  await sweepTemporary();
  try {
    const folder = mkdtempSync(join(tmpdir(), `rollcall-${verb}-`));
    await showInUse(folder);
    return folder;
  } catch (cause) {
    throw new UserError(
      `The folder for temporary files, ${tmpdir()}, cannot be written to (${codeOf(cause)}); point TMPDIR at one that can.`,
      { cause },
    );
  }
}

/** Removes a folder, unless it is gone. It is renamed first, because threads may still be writing to it. */
export function removeScratch(folder: string): void {
  if (!existsSync(folder)) return;
  const aside = `${folder}-gone`;
  renameSync(folder, aside);
  rmSync(aside, { recursive: true, force: true });
}

/** Turns an error about a full disk into one that people can act on; returns other errors as they are. */
export function explainRoom(error: unknown): unknown {
  const cause = error instanceof UserError ? error.cause : error;
  if (!hasCode(cause, "ENOSPC", "EDQUOT", "SQLITE_FULL")) return error;
  return new UserError(
    `The folder for temporary files, ${tmpdir()}, has too little room to compare in (${codeOf(cause)}); point TMPDIR at one with more.`,
    { cause: error },
  );
}

const NAME = /^rollcall-(?:diff|dev|verify)-\w{6}(-gone)?$/;

// A socket shows that a folder is in use: when its process ends, however it ends, the system stops listening. A process id
// has no meaning in another container. The name contains the machine, since several machines may share a folder.
const SIGN = `.alive-${sha256(hostname()).slice(0, 8)}`;

/** The longest path of a socket on every system, in bytes. Node truncates a longer one. */
const MAX_SOCKET_PATH = 103;

/** Shows that a folder is in use until this process ends. Where no socket can be made, only this process will remove it. */
async function showInUse(folder: string): Promise<void> {
  // It has another name until it listens: a socket that does not answer means that its process has ended.
  const early = join(folder, ".starting");
  const sign = join(folder, SIGN);
  if (Buffer.byteLength(sign) > MAX_SOCKET_PATH) return;
  const server = createServer((socket) => socket.destroy()).unref();
  server.on("error", () => {});
  try {
    // In a cluster, workers that are not exclusive share the socket of the process that started them.
    await once(server.listen({ path: early, exclusive: true }), "listening");
    await rename(early, sign);
  } catch {
    server.close();
  }
}

/** Removes this user's folders whose processes have ended. Those that cannot be read or removed stay. */
async function sweepTemporary(): Promise<void> {
  const names = await readdir(tmpdir()).catch(() => []);
  for (const name of names) if (NAME.test(name)) await sweep(join(tmpdir(), name)).catch(() => {});
}

async function sweep(folder: string): Promise<void> {
  const found = await lstat(folder);
  // `mkdtemp` makes folders like this, in which no other user can have put anything.
  if (!found.isDirectory() || found.uid !== process.getuid?.() || (found.mode & 0o777) !== 0o700) return;
  if (await isAbandoned(join(folder, SIGN))) await rm(folder, { recursive: true, force: true });
}

async function isAbandoned(sign: string): Promise<boolean> {
  if (Buffer.byteLength(sign) > MAX_SOCKET_PATH || !(await lstat(sign)).isSocket()) return false;
  return new Promise((resolve) => {
    const socket = connect(sign);
    socket.once("connect", () => {
      socket.destroy();
      resolve(false);
    });
    socket.once("error", (error) => resolve(hasCode(error, "ECONNREFUSED")));
  });
}
