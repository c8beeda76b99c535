/** The plain lines of all records, as bulk parts and the CSV file have them: collected with the pages, and hashed in order. */
import { createHash } from "node:crypto";
import type { Collector, PageRecords } from "../../artifacts/artifact.js";
import { RECORD_SEPARATOR } from "../../contract/page.js";

const NEWLINE = 0x0a;

/** Collects the lines of a batch of pages. */
export class LineCollector implements Collector {
  #lines: Buffer[] = [];

  /** @param lineOf makes the line of a record; the line is the record's canonical text unless given */
  constructor(private readonly lineOf?: (record: unknown) => string) {}

  collect({ bytes, text }: PageRecords): void {
    if (bytes.length === 0) return;
    // A record has no newline, so separators are only between records.
    if (!this.lineOf) this.#lines.push(Buffer.from(`${text.replaceAll(RECORD_SEPARATOR, "\n")}\n`, "latin1"));
    else
      for (const record of String(bytes).split(RECORD_SEPARATOR))
        this.#lines.push(Buffer.from(`${this.lineOf(JSON.parse(record))}\n`));
  }

  take(): Uint8Array<ArrayBuffer> {
    const all = new Uint8Array(Buffer.concat(this.#lines));
    this.#lines = [];
    return all;
  }
}

/** Counts and hashes plain bytes. */
export class PlainHash {
  readonly #hash = createHash("sha256");
  bytes = 0;

  update(bytes: Uint8Array): void {
    this.#hash.update(bytes);
    this.bytes += bytes.length;
  }

  get sha256(): string {
    return this.#hash.copy().digest("hex");
  }
}

/** Hashes the lines of records, part by part. */
export class PartHashes {
  /** Of the lines of all parts. */
  readonly all = new PlainHash();
  readonly parts: readonly PlainHash[];
  #part = 0;
  #lines = 0;

  /** @param counts the number of records in each part */
  constructor(private readonly counts: readonly number[]) {
    this.parts = counts.map(() => new PlainHash());
  }

  /** Adds lines; those after the last part are ignored. */
  add(lines: Buffer): void {
    for (let at = 0; at < lines.length; ) {
      while (this.#lines === this.counts[this.#part]) {
        this.#part++;
        this.#lines = 0;
      }
      const part = this.parts[this.#part];
      if (!part) return;
      const begin = at;
      const count = this.counts[this.#part] ?? 0;
      for (; at < lines.length && this.#lines < count; this.#lines++) at = lines.indexOf(NEWLINE, at) + 1;
      part.update(lines.subarray(begin, at));
      this.all.update(lines.subarray(begin, at));
    }
  }
}
