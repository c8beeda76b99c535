/** Finds ids that more than one user has, in memory that hardly grows: a hash parts them, and each part fits. */
import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { codeOf, UserError } from "../../errors.js";
import { pagePath } from "../../release/layout.js";
import type { Findings } from "../findings.js";
import type { PageIds } from "./order.js";
import { ENTRY_WORDS, findRepeated, ID_WORDS, newIdHash, type Repeated } from "./repeated.js";

const PART_BITS = 8;
/** Entries of a part that are held before they go to disk together. */
const CHUNK_ENTRIES = 1024;

interface Part {
  chunk: Uint32Array;
  /** How much of the chunk is filled. */
  words: number;
  /** Where in the file its earlier chunks begin. */
  written: number[];
}

/** Takes all ids of a release, and then tells which came more than once. */
export class IdBook {
  readonly #parts: readonly Part[] = Array.from({ length: 2 ** PART_BITS }, () => {
    return { chunk: new Uint32Array(CHUNK_ENTRIES * ENTRY_WORDS), words: 0, written: [] };
  });
  readonly #hash = newIdHash();
  #file: number | undefined;
  #end = 0;

  /** @throws UserError when the folder for temporary files cannot hold them. */
  add(pages: readonly PageIds[]): void {
    for (const { page, ids } of pages) {
      for (let at = 0; at < ids.length; at += ID_WORDS) this.#addOne(ids, at, page);
    }
  }

  /** Adds a finding for every id that came more than once. */
  check(findings: Findings): void {
    for (const part of this.#parts) {
      for (const repeated of findRepeated(this.#gather(part), this.#hash)) findings.add(toFinding(repeated));
    }
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  #addOne(ids: Uint32Array, at: number, page: number): void {
    const part = this.#parts[this.#hash(ids, at) >>> (32 - PART_BITS)];
    if (!part) return;
    for (let word = 0; word < ID_WORDS; word++) part.chunk[part.words++] = ids[at + word] ?? 0;
    part.chunk[part.words++] = page;
    if (part.words === part.chunk.length) this.#spill(part);
  }

  #spill(part: Part): void {
    try {
      this.#file ??= openNameless();
      // The system may take less than it is given, as when the disk is nearly full.
      for (let at = 0; at < part.chunk.byteLength; )
        at += writeSync(this.#file, new Uint8Array(part.chunk.buffer), at, undefined, this.#end + at);
    } catch (cause) {
      const why = `ids cannot be kept in the folder for temporary files, ${tmpdir()} (${codeOf(cause)})`;
      throw new UserError(`To look for repeated ones, ${why}; point TMPDIR at one with room.`, { cause });
    }
    part.written.push(this.#end);
    part.words = 0;
    this.#end += part.chunk.byteLength;
  }

  #gather({ chunk, words, written }: Part): Uint32Array {
    const all = new Uint32Array(written.length * chunk.length + words);
    for (const [at, begin] of written.entries())
      readSync(this.#file ?? -1, all, at * chunk.byteLength, chunk.byteLength, begin);
    all.set(chunk.subarray(0, words), written.length * chunk.length);
    return all;
  }
}

/** A file that goes with the process, however that ends. */
function openNameless(): number {
  const folder = mkdtempSync(join(tmpdir(), "rollcall-ids-"));
  try {
    return openSync(join(folder, "ids"), "wx+");
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function toFinding({ id, times, first, last }: Repeated) {
  const where = first === last ? `on page ${first}` : `on pages ${first} to ${last}`;
  const found = `${times} times, ${where}`;
  return { check: "unique-ids", path: pagePath(first), page: first, id, found, expected: "once" };
}
