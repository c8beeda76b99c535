/** A file of byte strings, each after its length. Threads and shards hand over data in such files, to be read once in order. */
import { createHash } from "node:crypto";
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { UserError } from "../core/errors.js";
import { DigestedFile } from "../core/release/writer.js";
import { joinPieces } from "./artifacts/artifact.js";

/** Bytes of the length before each piece. */
const LENGTH = 4;
/** Bytes that are written at once. */
const TOGETHER = 2 ** 18;

/** Writes a file of pieces. Close it in a `finally`. */
export class PiecesFile {
  readonly #file: DigestedFile;
  readonly #waiting: Uint8Array[] = [];
  #bytes = 0;

  constructor(path: string) {
    this.#file = new DigestedFile(path);
  }

  /** Adds one piece. Its bytes must not change any more. */
  add(piece: Uint8Array): void {
    this.#waiting.push(piece);
    this.#bytes += piece.length;
    if (this.#bytes >= TOGETHER) this.#write();
  }

  /** Flushes and closes the file. @returns its digest. */
  finish(): string {
    this.#write();
    return this.#file.finish();
  }

  close(): void {
    this.#file.close();
  }

  #write(): void {
    this.#file.write(joinPieces(this.#waiting.splice(0)));
    this.#bytes = 0;
  }
}

/**
 * Reads the pieces of a file in order.
 * @throws UserError if the digest differs, which is known only at the end, or a length does not fit; the system's errors.
 */
export function* readPieces(path: string, digest: string): Generator<Buffer, void> {
  const file = openSync(path, "r");
  const hash = createHash("sha256");
  let left = fstatSync(file).size;
  const read = (length: number): Buffer => {
    if (length > left) throw damaged(path);
    const bytes = Buffer.allocUnsafe(length);
    for (let at = 0; at < length; ) {
      const count = readSync(file, bytes, { offset: at });
      if (count === 0) throw damaged(path);
      at += count;
    }
    left -= length;
    hash.update(bytes);
    return bytes;
  };
  try {
    while (left > 0) yield read(read(LENGTH).readUInt32LE());
    if (hash.digest("hex") !== digest) throw damaged(path);
  } finally {
    closeSync(file);
  }
}

/** The error for a file of pieces that was changed or truncated. */
export function damaged(path: string): UserError {
  return new UserError(`${path} is damaged`);
}
