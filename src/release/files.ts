/** Reading, writing and hashing the files of a release. */
import { constants as bufferLimits } from "node:buffer";
import { createHash, hash } from "node:crypto";
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  open as openDescriptor,
  openSync,
  read,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  writeFileSync,
  writevSync,
} from "node:fs";
import { open, writeFile } from "node:fs/promises";
import { promisify } from "node:util";
import { hasCode } from "../errors.js";

const openFile = promisify(openDescriptor);
const readFile = promisify(read);

/** For opening a file without following a link that stands in its place, nor waiting for a pipe that does. */
export const PLAIN = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const IS_NO_FILE: readonly string[] = ["ENOENT", "ELOOP", "EISDIR", "ENOTDIR", "ENXIO"];

/** SHA-256 in hexadecimal. */
export function sha256(first: string | Uint8Array, ...others: readonly (string | Uint8Array)[]): string {
  // In one call where that will do: a host does little else than this when its cache is small.
  if (others.length === 0) return hash("sha256", first, "hex");
  const sum = createHash("sha256").update(first);
  for (const part of others) sum.update(part);
  return sum.digest("hex");
}

/** Writes a file that must not be there yet, and makes it outlast a loss of power. */
export async function writeFlushed(path: string, content: string | Buffer | Iterable<string>): Promise<void> {
  const handle = await open(path, "wx");
  try {
    await writeFile(handle, content);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** The same without giving way, and for bytes in several parts: for a thread that has nothing else to do. */
export function writeFlushedSync(path: string, parts: readonly Uint8Array[]): void {
  const file = openSync(path, "wx");
  try {
    const bytes = parts.reduce((sum, part) => sum + part.length, 0);
    const written = writevSync(file, parts);
    // The system may take less than it is given, as when the disk is nearly full; the rest has to be offered again.
    if (written < bytes) writeFileSync(file, Buffer.concat(parts).subarray(written));
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/**
 * Puts a small file in its place, over the one that may be there: written aside, flushed, renamed. So it is whole
 * whenever this is interrupted, and nothing is written through a link that stands in its place, or aside.
 */
export function replaceFile(path: string, content: string | Uint8Array): void {
  const aside = `${path}.rollcall-new`;
  // A killed one has left it, or somebody else has put it there.
  rmSync(aside, { recursive: true, force: true });
  try {
    writeFlushedSync(aside, [Buffer.from(content)]);
    renameSync(aside, path);
  } catch (error) {
    rmSync(aside, { force: true });
    throw error;
  }
}

/** Makes the names in a folder outlast a loss of power. */
export function flushFolder(path: string): void {
  const folder = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

/**
 * Opens a file of `dist` to read, without following a link that stands in its place, nor waiting for a pipe that does.
 * @returns its descriptor; undefined when it is gone, or is no plain file.
 */
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

/**
 * The SHA-256 of a release's file, read piece by piece into `memory`; undefined when it is gone or no plain file.
 * Without giving way between pieces, which would cost as much as the hashing.
 */
export async function findDigest(path: string, memory: Buffer): Promise<string | undefined> {
  const file = openPlain(path);
  if (file === undefined) return undefined;
  try {
    const sum = createHash("sha256");
    for (;;) {
      const bytes = readSync(file, memory, 0, memory.length, null);
      if (bytes === 0) return sum.digest("hex");
      sum.update(memory.subarray(0, bytes));
    }
  } finally {
    closeSync(file);
  }
}

/**
 * Reads a plain file of a release, as `openPlain` opens it. Not by a FileHandle, which costs a quarter more, and
 * giving way only for what may have to wait for the disk.
 * @throws the system's error, or one with a code as the system has it where there is no plain file.
 */
export async function readReleaseFile(path: string): Promise<Buffer> {
  const file = await openFile(path, PLAIN);
  try {
    const stats = fstatSync(file);
    if (!stats.isFile()) {
      const code = stats.isDirectory() ? "EISDIR" : "ENXIO";
      throw Object.assign(new Error(`${path} is no plain file`), { code });
    }
    if (stats.size > MAX_FILE) throw tooLarge(path);
    const bytes = Buffer.allocUnsafeSlow(stats.size);
    for (let at = 0; ; ) {
      const { bytesRead } = await readFile(file, bytes, at, bytes.length - at, null);
      at += bytesRead;
      // Fewer than it had, where it has been cut meanwhile.
      if (bytesRead === 0 || at === bytes.length) return bytes.subarray(0, at);
    }
  } finally {
    closeSync(file);
  }
}

/**
 * A page, without giving way: for who has nothing else to do. Undefined when the file is gone, or is no plain file.
 * @throws the system's error, or one with a code as the system has it where there is more than a page may be.
 */
export function readReleaseFileSync(path: string): Buffer | undefined {
  const file = openPlain(path);
  if (file === undefined) return undefined;
  try {
    if (fstatSync(file).size > MAX_PAGE) throw tooLarge(path);
    return readFileSync(file);
  } finally {
    closeSync(file);
  }
}

function tooLarge(path: string): Error {
  return Object.assign(new Error(`${path} is too large`), { code: "EFBIG" });
}

/** What one text can hold. A damaged file, or a stranger's, may have any length, and cost its sender nothing. */
const MAX_FILE = bufferLimits.MAX_STRING_LENGTH - 1;
/** No page of ours comes near. */
export const MAX_PAGE = 2 ** 28;
