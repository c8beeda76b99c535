/** Folders among the system's temporary files: what a process that was killed has left, the next one removes. */
import { lstat, readdir, rename, rm } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { hasCode } from "../errors.js";
import { sha256 } from "../release/files.js";

/** What `mkdtemp` makes of our prefix, also when it was about to be removed. */
const NAME = /^rollcall-diff-\w{6}(-gone)?$/;

/**
 * The socket that shows that a folder is in use. The system stops listening when a process ends, however it ends, and
 * every process that sees the folder can ask, in whatever container it is: ids of processes are neither. A folder that
 * several machines share has each one's own.
 */
const SIGN = `.alive-${sha256(hostname()).slice(0, 8)}`;

/** The longest path of a socket on every system, in bytes. Node cuts a longer one, and makes the socket elsewhere. */
const MAX_SOCKET_PATH = 103;

/**
 * Shows that a folder is in use until this process ends or the result is called, which does not remove the folder.
 * Where no socket can be made, nothing is shown, and nobody will ever remove the folder but its owner.
 */
export async function showInUse(folder: string): Promise<() => void> {
  // Under another name until it listens, since a sign that does not answer is that of a process that has ended.
  const early = join(folder, ".starting");
  const sign = join(folder, SIGN);
  if (Buffer.byteLength(sign) > MAX_SOCKET_PATH) return () => {};
  const server = createServer((socket) => socket.destroy()).unref();
  try {
    await new Promise<void>((resolve, reject) => {
      server.on("error", reject);
      // Its own also where the sockets of a process are those of the one that started it.
      server.listen({ path: early, exclusive: true }, resolve);
    });
    await rename(early, sign);
  } catch {
    server.close();
  }
  return () => void server.close();
}

/** Removes the folders of this user whose processes have ended. What cannot be read or removed stays. */
export async function sweepTemporary(): Promise<void> {
  const names = await readdir(tmpdir()).catch(() => []);
  for (const name of names) if (NAME.test(name)) await sweep(join(tmpdir(), name)).catch(() => {});
}

async function sweep(folder: string): Promise<void> {
  const found = await lstat(folder);
  // As `mkdtemp` makes them: nobody else can have put anything there.
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
