/** Reads and hashes plain files. Links are not followed, pipes are not waited for, and sizes are bounded. */
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
} from "node:fs";
import { promisify } from "node:util";
import { hasCode } from "../errors.js";

const openFile = promisify(open);
const readFile = promisify(read);

/** Flags to open a file for reading that neither follow a link in its place nor wait for a pipe. */
const PLAIN = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const NOT_PLAIN: readonly string[] = ["ENOENT", "ELOOP", "EISDIR", "ENOTDIR", "ENXIO"];

/** Maximum size of a file that becomes one text: V8's limit. */
const MAX_FILE = bufferLimits.MAX_STRING_LENGTH - 1;
/** Maximum size of a file that is read as one page. Valid pages are far smaller. */
export const MAX_PAGE = 2 ** 28;
/** Bytes that are read at once. */
const BLOCK = 2 ** 18;

export function sha256(first: string | Uint8Array, ...others: readonly (string | Uint8Array)[]): string {
  // One call is faster than three. The server hashes each page that is not in its cache.
  if (others.length === 0) return hash("sha256", first, "hex");
  const sum = createHash("sha256").update(first);
  for (const part of others) sum.update(part);
  return sum.digest("hex");
}

/** Closes an open file after a step, also if the step throws. */
export function closing<T>(file: number, step: (file: number) => T): T {
  try {
    return step(file);
  } finally {
    closeSync(file);
  }
}

/** Opens a plain file for reading. @returns its descriptor, or undefined if there is no plain file. */
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

/** The blocks of an open file from offset `at` on. Each block is overwritten by the next one. */
export function* readBlocks(file: number, at = 0, memory: Buffer = Buffer.allocUnsafeSlow(BLOCK)): Generator<Buffer> {
  for (let from = at; ; ) {
    const bytes = readSync(file, memory, 0, memory.length, from);
    if (bytes === 0) return;
    yield memory.subarray(0, bytes);
    from += bytes;
  }
}

/** The SHA-256 of a plain file; undefined if there is none. Reads synchronously, in half the time. */
export function findDigest(path: string, memory: Buffer): string | undefined {
  const file = openPlain(path);
  if (file === undefined) return undefined;
  return closing(file, () => {
    const sum = createHash("sha256");
    for (const block of readBlocks(file, 0, memory)) sum.update(block);
    return sum.digest("hex");
  });
}

/** A plain file; undefined if there is none. @throws the system's errors, or EFBIG for more than `MAX_PAGE` bytes. */
export function readReleaseFileSync(path: string): Buffer | undefined {
  const file = openPlain(path);
  if (file === undefined) return undefined;
  return closing(file, () => {
    requireSize(path, fstatSync(file).size, MAX_PAGE);
    return readFileSync(file);
  });
}

/** The first bytes of a file as latin1, filled up with NUL. */
export function readBeginning(path: string, bytes: number): string {
  const beginning = Buffer.alloc(bytes);
  closing(openSync(path, "r"), (file) => readSync(file, beginning));
  return beginning.toString("latin1");
}

/** Opens a plain file for an asynchronous step, and closes it. @throws the system's errors, also if there is no plain file. */
export async function withReleaseFile<T>(path: string, step: (file: number, size: number) => Promise<T>): Promise<T> {
  const file = await openFile(path, PLAIN);
  try {
    return await step(file, plainSize(path, file));
  } finally {
    closeSync(file);
  }
}

/** A whole file. A quarter faster than by a FileHandle. @throws as `withReleaseFile` does, and EFBIG for more than `most` bytes. */
export async function readReleaseFile(path: string, most = MAX_FILE): Promise<Buffer> {
  return withReleaseFile(path, async (file, size) => {
    requireSize(path, size, most);
    return (await readFrom(file, 0, size)).bytes;
  });
}

/** Bytes of a file, and its state when the last of them had been read. */
export interface FileRead {
  bytes: Buffer;
  state: BigIntStats;
}

/** `length` bytes of a file, or fewer if it ends before. @throws as `withReleaseFile` does. */
export function readPiece(path: string, at: number, length: number): Promise<FileRead> {
  return withReleaseFile(path, (file) => readFrom(file, at, length));
}

async function readFrom(file: number, from: number, length: number): Promise<FileRead> {
  const bytes = Buffer.allocUnsafeSlow(length);
  for (let at = 0; ; ) {
    const { bytesRead } = await readFile(file, bytes, at, length - at, from + at);
    at += bytesRead;
    // The file may have been truncated meanwhile.
    if (bytesRead === 0 || at === length)
      return { bytes: bytes.subarray(0, at), state: fstatSync(file, { bigint: true }) };
  }
}

/** Reads a whole file into memory that `memoryFor` gives, and waits for the disk. @throws as `readReleaseFile` does. */
export function readIntoSync(path: string, memoryFor: (size: number) => Buffer): FileRead {
  return closing(openSync(path, PLAIN), (file) => {
    const size = plainSize(path, file);
    requireSize(path, size, MAX_PAGE);
    const memory = memoryFor(size);
    let at = 0;
    for (let count = -1; count !== 0 && at < size; at += count) count = readSync(file, memory, at, size - at, null);
    return { bytes: memory.subarray(0, at), state: fstatSync(file, { bigint: true }) };
  });
}

/** The SHA-256 of a plain file of any size, read while other work goes on. @throws as `withReleaseFile` does. */
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
  if (stats.isFile()) return stats.size;
  const code = stats.isDirectory() ? "EISDIR" : "ENXIO";
  throw Object.assign(new Error(`${path} is not a plain file`), { code });
}

function requireSize(path: string, size: number, most: number): void {
  if (size > most) throw Object.assign(new Error(`${path} is too large`), { code: "EFBIG" });
}
