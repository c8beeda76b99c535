/** Reads and hashes regular files. Does not follow links or wait for pipes, and limits sizes. */
import { constants as bufferLimits } from "node:buffer";
import { createHash, hash } from "node:crypto";
import {
  type BigIntStats,
  closeSync,
  constants,
  fstatSync,
  open,
  openSync,
  read,
  readFileSync,
  readSync,
  type Stats,
} from "node:fs";
import { promisify } from "node:util";
import { hasCode } from "../errors.js";

const openFile = promisify(open);
const readFile = promisify(read);

/** Flags to open a file for reading without following a link or waiting for a pipe. */
const PLAIN = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const NOT_PLAIN: readonly string[] = ["ENOENT", "ELOOP", "EISDIR", "ENOTDIR", "ENXIO"];

/** Maximum bytes of a file that becomes one string: V8's limit. */
const MAX_FILE = bufferLimits.MAX_STRING_LENGTH - 1;
/** Maximum bytes of a file that is read as one page. Valid pages are far smaller. */
export const MAX_PAGE = 2 ** 28;
/** Bytes that are read at once. */
const BLOCK = 2 ** 18;

/** The SHA-256, in hexadecimal, of one or several pieces joined. */
export function sha256(first: string | Uint8Array, ...others: readonly (string | Uint8Array)[]): string {
  // The one-shot call is faster. The server hashes each page that is not in its cache.
  if (others.length === 0) return hash("sha256", first, "hex");
  const sum = createHash("sha256").update(first);
  for (const part of others) sum.update(part);
  return sum.digest("hex");
}

/** Runs a step with an open file, and closes the file even if the step throws. */
export function closing<T>(file: number, step: (file: number) => T): T {
  try {
    return step(file);
  } finally {
    closeSync(file);
  }
}

/** Opens a regular file for reading. @returns its descriptor, or undefined if the path has no regular file. */
export function openPlain(path: string): number | undefined {
  let file: number;
  try {
    file = openSync(path, PLAIN);
  } catch (error) {
    if (hasCode(error, ...NOT_PLAIN)) return undefined;
    throw error;
  }
  if (fstatSync(file).isFile()) return file;
  closeSync(file);
  return undefined;
}

/** Reads an open file in blocks from offset `at` on. The next block overwrites the memory of the last one. */
export function* readBlocks(file: number, at = 0, memory: Buffer = Buffer.allocUnsafeSlow(BLOCK)): Generator<Buffer> {
  for (let from = at; ; ) {
    const bytes = readSync(file, memory, 0, memory.length, from);
    if (bytes === 0) return;
    yield memory.subarray(0, bytes);
    from += bytes;
  }
}

/** The digest of a regular file of any size, in hexadecimal; undefined if there is none. Synchronous reading takes half the time. */
export function hashPlain(path: string, algorithm = "sha256"): string | undefined {
  const file = openPlain(path);
  if (file === undefined) return undefined;
  return closing(file, () => {
    const sum = createHash(algorithm);
    for (const block of readBlocks(file, 0, HASHED)) sum.update(block);
    return sum.digest("hex");
  });
}

/** Memory for the file that is hashed. */
const HASHED = Buffer.allocUnsafeSlow(BLOCK);

/** Node's code for a file that is too large to read. The system's EFBIG is about a file that is written. */
export const TOO_LARGE = "ERR_FS_FILE_TOO_LARGE";

/** Reads a regular file; undefined if there is none. @throws the system's errors, or `TOO_LARGE` for more than `most` bytes. */
export function readPlain(path: string, most = MAX_PAGE): Buffer | undefined {
  const file = openPlain(path);
  if (file === undefined) return undefined;
  return closing(file, () => {
    requireSize(path, fstatSync(file).size, most);
    return readFileSync(file);
  });
}

/** Opens a regular file for an asynchronous step, then closes it. @throws the system's errors, also for anything but a regular file. */
export async function withReleaseFile<T>(path: string, step: (file: number, size: number) => Promise<T>): Promise<T> {
  const file = await openFile(path, PLAIN);
  try {
    return await step(file, plainSize(path, file));
  } finally {
    closeSync(file);
  }
}

/** Reads a whole file. @throws as `withReleaseFile` does, and `TOO_LARGE` for more than `most` bytes. */
export async function readReleaseFile(path: string, most = MAX_FILE): Promise<Buffer> {
  return withReleaseFile(path, async (file, size) => {
    requireSize(path, size, most);
    return readFileSync(file);
  });
}

/**
 * Reads a whole file synchronously, with its `stat` from before.
 * @param memoryFor the memory for a file of this size. @throws as `readReleaseFile` does.
 */
export function readPlainSync(
  path: string,
  memoryFor: (size: number) => Buffer,
): { bytes: Buffer; state: BigIntStats } {
  return closing(openSync(path, PLAIN), (file) => {
    const state = fstatSync(file, { bigint: true });
    requirePlain(path, state);
    const size = Number(state.size);
    requireSize(path, size, MAX_PAGE);
    const bytes = memoryFor(size);
    let at = 0;
    for (let count = -1; count !== 0 && at < size; at += count) count = readSync(file, bytes, at, size - at, at);
    return { bytes: bytes.subarray(0, at), state };
  });
}

/** The SHA-256 of a regular file of any size, without blocking the thread. @throws as `withReleaseFile` does. */
export function digestReleaseFile(path: string, signal?: AbortSignal): Promise<string> {
  return withReleaseFile(path, async (file) => {
    const memory = Buffer.allocUnsafeSlow(BLOCK);
    const sum = createHash("sha256");
    for (;;) {
      signal?.throwIfAborted();
      const { bytesRead } = await readFile(file, memory, 0, memory.length, null);
      if (bytesRead === 0) return sum.digest("hex");
      sum.update(memory.subarray(0, bytesRead));
    }
  });
}

function plainSize(path: string, file: number): number {
  const stats = fstatSync(file);
  requirePlain(path, stats);
  return stats.size;
}

function requirePlain(path: string, stats: Stats | BigIntStats): void {
  if (stats.isFile()) return;
  const code = stats.isDirectory() ? "EISDIR" : "ENXIO";
  throw Object.assign(new Error(`${path} is not a plain file`), { code });
}

function requireSize(path: string, size: number, most: number): void {
  if (size > most) throw Object.assign(new Error(`${path} is too large`), { code: TOO_LARGE });
}
