/** Reading, writing and hashing the files of a release. */
import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { codeOf } from "../errors.js";

/** SHA-256 in hexadecimal. */
export function sha256(content: string | Buffer): string {
  return createHash("sha256").update(content).digest("hex");
}

/** Writes a file that must not be there yet, and makes it outlast a loss of power. */
export async function writeFlushed(path: string, content: string | Buffer): Promise<void> {
  const handle = await open(path, "wx");
  try {
    await handle.writeFile(content);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Makes the names in a folder outlast a loss of power. */
export async function flushFolder(path: string): Promise<void> {
  const handle = await open(path, constants.O_RDONLY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Reads a file of a release without following a link that stands in its place, nor waiting for a pipe that does. */
export async function readReleaseFile(path: string): Promise<Buffer> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  const handle = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}

/** The bytes of a release's file, or undefined when they do not have the digest, or it is gone or no plain file. */
export async function findIntact(path: string, digest: string): Promise<Buffer | undefined> {
  try {
    const bytes = await readReleaseFile(path);
    return sha256(bytes) === digest ? bytes : undefined;
  } catch (error) {
    if (["ENOENT", "ELOOP", "EISDIR", "ENOTDIR"].includes(codeOf(error) ?? "")) return undefined;
    throw error;
  }
}
