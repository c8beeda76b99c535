/** Copies a file of a release, hashing what is copied. */
import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { codeOf } from "../errors.js";

/**
 * Copies a file piece by piece through `memory` into one that must not be there yet, and flushes it.
 * @returns what was copied, or undefined when `from` is gone or no plain file.
 */
export async function copyFlushed(
  from: string,
  to: string,
  memory: Buffer,
): Promise<{ digest: string; bytes: number } | undefined> {
  const source = await openPlain(from);
  if (!source) return undefined;
  try {
    const copy = await open(to, "wx");
    try {
      const hash = createHash("sha256");
      let bytes = 0;
      for (;;) {
        const { bytesRead } = await source.read(memory, 0, memory.length);
        if (bytesRead === 0) break;
        const piece = memory.subarray(0, bytesRead);
        hash.update(piece);
        await copy.writeFile(piece);
        bytes += bytesRead;
      }
      await copy.sync();
      return { digest: hash.digest("hex"), bytes };
    } finally {
      await copy.close();
    }
  } finally {
    await source.close();
  }
}

/** Opens a file to read, following no link in its place; undefined when there is no plain file. */
export async function openPlain(path: string) {
  try {
    const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
    return await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    if (["ENOENT", "ELOOP", "ENOTDIR"].includes(codeOf(error) ?? "")) return undefined;
    throw error;
  }
}
