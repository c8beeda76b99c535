/** Reads and hashes the files of a release. */
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

/** Flags to open a file for reading that neither follow a link in its place nor wait for a pipe. */
const PLAIN = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const IS_NO_FILE: readonly string[] = ["ENOENT", "ELOOP", "EISDIR", "ENOTDIR", "ENXIO"];

export function sha256(first: string | Uint8Array, ...others: readonly (string | Uint8Array)[]): string {
  // One call is faster than three, and a server with a small cache does little else than this.
  if (others.length === 0) return hash("sha256", first, "hex");
  const sum = createHash("sha256").update(first);
  for (const part of others) sum.update(part);
  return sum.digest("hex");
}

/** Opens a plain file for reading. @returns its descriptor, or undefined when there is no plain file. */
export function openPlain(path: string): number | undefined {
  let file: number;
  try {
    file = openSync(path, PLAIN);
  } catch (error) {
    if (hasCode(error, ...IS_NO_FILE)) return undefined;
    throw error;
  }
  if (fstatSync(file).isFile()) return file;
  closeSync(file);
  return undefined;
}

export async function findDigest(path: string, memory: Buffer): Promise<string | undefined> {
  const file = openPlain(path);
  return file === undefined ? undefined : closing(file, () => digestFile(file, memory));
}

/** Closes an open file after a step, whatever happens in it. */
export function closing<T>(file: number, step: (file: number) => T): T {
  try {
    return step(file);
  } finally {
    closeSync(file);
  }
}

/** The SHA-256 of an open file. Reads synchronously: waiting for each part would take as long as the hashing. */
export function digestFile(file: number, memory: Buffer): string {
  const sum = createHash("sha256");
  for (let at = 0; ; ) {
    const bytes = readSync(file, memory, 0, memory.length, at);
    if (bytes === 0) return sum.digest("hex");
    sum.update(memory.subarray(0, bytes));
    at += bytes;
  }
}

/** The first bytes of a file, each as a character; fewer bytes are filled up with NUL. */
export function readBeginning(path: string, bytes: number): string {
  const beginning = Buffer.alloc(bytes);
  closing(openSync(path, "r"), (file) => readSync(file, beginning));
  return beginning.toString("latin1");
}

/**
 * Opens a plain file for a step that may wait, and closes it.
 * @throws an error with a system code, also when there is no plain file.
 */
export async function withReleaseFile<T>(path: string, step: (file: number, size: number) => Promise<T>): Promise<T> {
  const file = await openFile(path, PLAIN);
  try {
    return await step(file, requirePlain(path, file).size);
  } finally {
    closeSync(file);
  }
}

/** @throws as `withReleaseFile` does, and EFBIG for more than `most` bytes. */
export async function readReleaseFile(path: string, most = MAX_FILE): Promise<Buffer> {
  return (await readWithState(path, most)).bytes;
}

/**
 * A file's bytes, and what it was on disk when the last of them had been read. A quarter faster than by a FileHandle.
 * @throws as `readReleaseFile` does.
 */
export function readWithState(path: string, most = MAX_FILE): Promise<{ bytes: Buffer; state: BigIntStats }> {
  return withReleaseFile(path, async (file, size) => {
    if (size > most) throw tooLarge(path);
    const bytes = Buffer.allocUnsafeSlow(size);
    for (let at = 0; ; ) {
      const { bytesRead } = await readFile(file, bytes, at, bytes.length - at, null);
      at += bytesRead;
      // The file may have been truncated meanwhile.
      if (bytesRead === 0 || at === bytes.length)
        return { bytes: bytes.subarray(0, at), state: fstatSync(file, { bigint: true }) };
    }
  });
}

/** Some bytes of a file, fewer where it ends before, and what it was on disk after they had been read. @throws as `withReleaseFile` does. */
export function readPiece(path: string, at: number, length: number): Promise<{ bytes: Buffer; state: BigIntStats }> {
  return withReleaseFile(path, async (file) => {
    const { bytesRead, buffer } = await readFile(file, Buffer.allocUnsafeSlow(length), 0, length, at);
    return { bytes: buffer.subarray(0, bytesRead), state: fstatSync(file, { bigint: true }) };
  });
}

/**
 * A file's bytes, read at once into memory that is given for their number, and what it was on disk when the last of them had been
 * read. Undefined if they cannot be read, for any reason.
 * @param known how many bytes it had before, which saves asking
 */
export function readIntoSync<T extends { bytes: Buffer }>(
  path: string,
  memoryFor: (size: number) => T,
  known?: number,
): { memory: T; state: BigIntStats } | undefined {
  let file: number | undefined;
  try {
    file = openSync(path, PLAIN);
    const size = known ?? requirePlain(path, file).size;
    if (size > MAX_PAGE) return undefined;
    const memory = memoryFor(size);
    for (let at = 0; at < size; ) {
      const count = readSync(file, memory.bytes, at, size - at, null);
      if (count === 0) return undefined;
      at += count;
    }
    const state = fstatSync(file, { bigint: true });
    return state.size === BigInt(size) ? { memory, state } : undefined;
  } catch {
    // Who reads it the usual way is told why.
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** The SHA-256 of a plain file of any size, read in pieces while other work goes on. @throws as `withReleaseFile` does. */
export function digestReleaseFile(path: string, signal?: AbortSignal): Promise<string> {
  return withReleaseFile(path, async (file) => {
    const memory = Buffer.allocUnsafeSlow(PIECE);
    const sum = createHash("sha256");
    for (;;) {
      signal?.throwIfAborted();
      const { bytesRead } = await readFile(file, memory, 0, memory.length, null);
      if (bytesRead === 0) return sum.digest("hex");
      sum.update(memory.subarray(0, bytesRead));
    }
  });
}

/** The bytes of an open file from `at` on. Each piece takes the place of the one before. */
export function* readBlocks(file: number, at = 0): Generator<Buffer> {
  const memory = Buffer.allocUnsafeSlow(PIECE);
  for (let from = at; ; ) {
    const bytes = readSync(file, memory, 0, memory.length, from);
    if (bytes === 0) return;
    yield memory.subarray(0, bytes);
    from += bytes;
  }
}

const PIECE = 2 ** 18;

/** Undefined when there is no plain file. @throws the system's error, or EFBIG for more than `MAX_PAGE` bytes. */
export function readReleaseFileSync(path: string): Buffer | undefined {
  const file = openPlain(path);
  if (file === undefined) return undefined;
  return closing(file, () => {
    if (fstatSync(file).size > MAX_PAGE) throw tooLarge(path);
    return readFileSync(file);
  });
}

function requirePlain(path: string, file: number): Stats {
  const stats = fstatSync(file);
  if (stats.isFile()) return stats;
  const code = stats.isDirectory() ? "EISDIR" : "ENXIO";
  throw Object.assign(new Error(`${path} is no plain file`), { code });
}

function tooLarge(path: string): Error {
  return Object.assign(new Error(`${path} is too large`), { code: "EFBIG" });
}

/** The longest text in JavaScript. A damaged or malicious file may have any length. */
const MAX_FILE = bufferLimits.MAX_STRING_LENGTH - 1;
/** The most bytes that are read as one page; valid pages are far smaller. */
export const MAX_PAGE = 2 ** 28;
