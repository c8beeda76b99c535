/** Makes gzip members of pages' records. Any number of them, joined, is one valid gzip. */
import { gzipSync } from "node:zlib";

/** Some whole lines, one a record. */
export interface BulkMember {
  bytes: Uint8Array;
  /** What the bytes hold, which is only hashed. */
  plain: Uint8Array;
  /** Where both stand. */
  memory: ArrayBuffer;
  /** Lines in it. */
  count: number;
}

/** Enough that a member compresses as well as all records together would, few enough that several fit into memory. */
const RECORDS_TOGETHER = 1000;

/** Of large records, fewer make a member. One that is larger makes a member of its own. */
const MOST_PLAIN = 2 ** 22;

/**
 * How many pages are compressed together, the first of them always with page 1. Nothing else may say where members end,
 * so that the same pages make the same bytes in every build.
 */
export function pagesTogether(pageSize: number): number {
  return Math.ceil(RECORDS_TOGETHER / pageSize);
}

const NEWLINE = 0x0a;
/** Where a gzip header names the system that made it, and what stands there for an unknown one. */
const [SYSTEM_AT, UNKNOWN_SYSTEM] = [9, 0xff];

/** The member of no record. */
export function emptyMember(): BulkMember {
  const [plain, memory] = [new Uint8Array(), new ArrayBuffer(0)];
  return { bytes: compress(plain), plain, memory, count: 0 };
}

/** The members of pages that are compressed together. */
export class BulkMembers {
  readonly #members: BulkMember[] = [];
  #memory: Buffer;
  #length = 0;
  #count = 0;

  /** @param memory of members that are done with. Without it, memory would grow until it is collected. */
  constructor(memory: ArrayBuffer = new ArrayBuffer(0)) {
    this.#memory = Buffer.from(memory);
  }

  /** @param records a page's canonical records, with their separators. */
  add(records: Buffer): void {
    for (let at = 0; at < records.length; ) {
      const newline = records.indexOf(NEWLINE, at);
      // Before the newline stands the separator's comma.
      const end = newline < 0 ? records.length : newline - 1;
      this.#addLine(records, at, end);
      at = newline < 0 ? end : newline + 1;
    }
  }

  finish(): BulkMember[] {
    if (this.#count > 0) this.#cut();
    return this.#members.splice(0);
  }

  #addLine(records: Buffer, at: number, end: number): void {
    const length = end - at + 1;
    if (this.#count > 0 && this.#length + length > MOST_PLAIN) this.#cut();
    const needed = this.#length + length;
    this.#reserve(needed);
    records.copy(this.#memory, this.#length, at, end);
    this.#memory[needed - 1] = NEWLINE;
    this.#length = needed;
    this.#count++;
  }

  /** What is never written to takes no memory. */
  #reserve(bytes: number): void {
    if (bytes <= this.#memory.length) return;
    const larger = Buffer.from(new ArrayBuffer(Math.max(bytes, MOST_PLAIN) + MOST_PLAIN));
    this.#memory.copy(larger, 0, 0, this.#length);
    this.#memory = larger;
  }

  #cut(): void {
    const [length, count] = [this.#length, this.#count];
    const compressed = compress(this.#memory.subarray(0, length));
    const end = length + compressed.length;
    this.#reserve(end);
    compressed.copy(this.#memory, length);
    const [plain, bytes] = [this.#memory.subarray(0, length), this.#memory.subarray(length, end)];
    this.#members.push({ bytes, plain, memory: this.#memory.buffer as ArrayBuffer, count });
    [this.#memory, this.#length, this.#count] = [Buffer.from(new ArrayBuffer(0)), 0, 0];
  }
}

/** As gzip -6, but with more memory: the same compression in less time. Mostly in one piece, which need not be copied together. */
function compress(plain: Uint8Array): Buffer {
  const bytes = gzipSync(plain, { level: 6, memLevel: 9, chunkSize: Math.max(65_536, plain.length >> 1) });
  bytes[SYSTEM_AT] = UNKNOWN_SYSTEM;
  return bytes;
}
