/** Writes a new file whose digest, as SHA256SUMS lists it, is known at its end without reading it again. */
import { createHash } from "node:crypto";
import { closeSync, fsyncSync, openSync, writeFileSync } from "node:fs";

/** To be closed in a `finally`. */
export class DigestedFile {
  /** How many are written. */
  bytes = 0;
  #file: number | undefined;
  readonly #hash = createHash("sha256");

  /** @throws the system's errors, also where anything is there already. */
  constructor(path: string) {
    this.#file = openSync(path, "wx");
  }

  write(bytes: Uint8Array): void {
    writeFileSync(this.#file ?? -1, bytes);
    this.#hash.update(bytes);
    this.bytes += bytes.length;
  }

  /** Flushes and closes it. @returns the digest of all its bytes. */
  finish(): string {
    fsyncSync(this.#file ?? -1);
    this.close();
    return this.#hash.digest("hex");
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }
}
