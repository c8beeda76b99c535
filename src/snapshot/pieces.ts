/** A file of byte strings, each after its length, which is read once and in order: from a thread or another machine. */
import { createHash } from "node:crypto";
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { UserError } from "../errors.js";
import { DigestedFile } from "../release/writer.js";

/** Bytes of a length. */
const LENGTH = 4;
/** Bytes that are written together. */
const TOGETHER = 2 ** 18;

/** Close it in a `finally`. */
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
 * @throws UserError at the end when the file has another digest, or as soon as a length does not fit; the system's errors.
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

export function damaged(path: string): UserError {
  return new UserError(`${path} is not as it was written`);
}
