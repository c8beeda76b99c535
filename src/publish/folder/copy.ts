/** Copies files of a release and computes their digests on the way. */
import { createHash } from "node:crypto";
import { type FileHandle, open } from "node:fs/promises";
import { hasCode } from "../../errors.js";
import { PLAIN } from "../../release/files.js";

/**
 * Copies a file through `memory` to a path where nothing is yet, and flushes it.
 * @returns what was copied, or undefined when there is no plain file at `from`.
 */
export async function copyFlushed(
  from: string,
  to: string,
  memory: Buffer,
): Promise<{ digest: string; bytes: number } | undefined> {
  const source = await openPlainHandle(from);
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

/** Opens a plain file to read it asynchronously, without following a link; undefined when there is none. */
export async function openPlainHandle(path: string): Promise<FileHandle | undefined> {
  let file: FileHandle;
  try {
    file = await open(path, PLAIN);
  } catch (error) {
    if (hasCode(error, "ENOENT", "ELOOP", "ENOTDIR", "ENXIO")) return undefined;
    throw error;
  }
  if ((await file.stat()).isFile()) return file;
  await file.close();
  return undefined;
}
