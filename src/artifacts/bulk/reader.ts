/** Reads what a release has in parts: bulk.json at once, and the plain bytes of a part as they come, however many they are. */
import { createReadStream, fstatSync } from "node:fs";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { codeOf } from "../../errors.js";
import { BULK } from "../../release/layout.js";
import type { Release } from "../../release/open.js";
import { openPlain, readReleaseFileSync, sha256 } from "../../release/plain-files.js";
import { type Bulk, parseBulk } from "./parts.js";

/** What a release's bulk.json says; undefined where it is not there, or not intact. */
export function findBulk({ folder, sums }: Pick<Release, "folder" | "sums">): Bulk | undefined {
  const listed = sums.others.get(BULK);
  const text = listed === undefined ? undefined : readReleaseFileSync(join(folder, BULK));
  if (!text || sha256(text) !== listed) return undefined;
  const bulk = parseBulk(String(text));
  return "why" in bulk ? undefined : bulk;
}

const CHUNK = 2 ** 18;

/**
 * A part that is read no further takes no more memory than one that is read to its end.
 * @returns why it is not one whole gzip, as the end of a sentence; undefined for one that is.
 */
export async function* readPart(path: string): AsyncGenerator<Buffer, string | undefined> {
  const fd = openPlain(path);
  if (fd === undefined) return "is no file to read";
  const { size } = fstatSync(fd);
  return yield* unpackPart(createReadStream("", { fd, highWaterMark: CHUNK }), size);
}

/**
 * The plain bytes of a part, wherever it comes from.
 * @param size of the part as it is.
 * @returns as `readPart` does.
 */
async function* unpackPart(packed: Readable, size: number): AsyncGenerator<Buffer, string | undefined> {
  const gunzip = createGunzip({ chunkSize: CHUNK });
  packed.once("error", (error) => gunzip.destroy(error));
  try {
    for await (const plain of packed.pipe(gunzip)) yield plain;
  } catch (error) {
    const code = codeOf(error) ?? "";
    if (!code.startsWith("Z_")) throw error;
    return `is not gzip to its end (${code})`;
  } finally {
    packed.destroy();
    gunzip.destroy();
  }
  // Bytes that are no gzip any more are left out in silence. In all parts joined, they would stand in the middle.
  const behind = size - gunzip.bytesWritten;
  return behind > 0 ? `has ${behind} bytes behind its gzip` : undefined;
}
