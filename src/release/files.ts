/** Reads and hashes the files of a release. */
import { constants as bufferLimits } from "node:buffer";
import { createHash, hash } from "node:crypto";
import {
  closeSync,
  constants,
  fstatSync,
  open as openDescriptor,
  openSync,
  read,
  readFileSync,
  readSync,
} from "node:fs";
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
