/** A file of pieces of bytes, each behind its length: what one machine hands to another, to be read once and in order. */
import { createHash } from "node:crypto";
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { UserError } from "../errors.js";
import { DigestedFile } from "./digested-file.js";

const LENGTH = 4;
/** Bytes that are written together. */
const TOGETHER = 2 ** 18;

/** To be closed in a `finally`. */
export class PiecesFile {
  readonly #file: DigestedFile;
  #waiting: Uint8Array[] = [];
  #bytes = 0;

  constructor(path: string) {
    this.#file = new DigestedFile(path);
  }

  /** Adds one piece. Its bytes are copied. */
  add(piece: Uint8Array): void {
    const bytes = Buffer.allocUnsafe(LENGTH + piece.length);
    bytes.writeUInt32LE(piece.length);
    bytes.set(piece, LENGTH);
    this.#waiting.push(bytes);
    this.#bytes += bytes.length;
    if (this.#bytes >= TOGETHER) this.#write();
  }

  /** @returns the digest of the file. */
  finish(): string {
    this.#write();
    return this.#file.finish();
  }

  close(): void {
    this.#file.close();
  }

  #write(): void {
    this.#file.write(Buffer.concat(this.#waiting));
    [this.#waiting, this.#bytes] = [[], 0];
  }
}

/**
 * The pieces of a file.
 * @throws UserError at its end when it does not have this digest, or as soon as it has no such form; the system's errors.
 */
export function* readPieces(path: string, digest: string): Generator<Buffer, void> {
  const file = openSync(path, "r");
  const hash = createHash("sha256");
  let left = fstatSync(file).size;
  const read = (length: number): Buffer => {
    const bytes = Buffer.allocUnsafe(Math.min(length, left));
    for (let at = 0; at < bytes.length; ) {
      const some = readSync(file, bytes, { offset: at });
      if (some === 0) break;
      at += some;
    }
    if (length > left) throw damaged(path);
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

/** The bytes of a file in chunks, valid until the next one. @throws as `readPieces` does. */
export function* readChunks(path: string, digest: string): Generator<Buffer, void> {
  const hash = createHash("sha256");
  const memory = Buffer.allocUnsafe(TOGETHER);
  const file = openSync(path, "r");
  try {
    for (let bytes = readSync(file, memory); bytes > 0; bytes = readSync(file, memory)) {
      const chunk = memory.subarray(0, bytes);
      hash.update(chunk);
      yield chunk;
    }
    if (hash.digest("hex") !== digest) throw damaged(path);
  } finally {
    closeSync(file);
  }
}

function damaged(path: string): UserError {
  return new UserError(`${path} is not as it was written`);
}
