/** bulk.json and its parts, and records.csv.gz: all records in files of joined gzip members, in published order. */
import { createHash, type Hash } from "node:crypto";
import { gunzipSync, gzipSync } from "node:zlib";
import stringify from "fast-json-stable-stringify";
import * as z from "zod";
import { readAs } from "../../core/contract/json.js";
import { csvColumns, csvHeading, csvLineOf } from "../../core/contract/record/csv.js";
import { type PageRecords, recordsOf } from "../../core/contract/record/split.js";
import { UserError } from "../../core/errors.js";
import { BULK, BULK_FOLDER, CSV, MAX_PACKED } from "../../core/release/layout.js";
import {
  type Artifact,
  type Collector,
  countSchema,
  digestSchema,
  hideSystem,
  joinPieces,
  type MergeContext,
  type Merger,
  type SinkFile,
  splitPieces,
} from "./artifact.js";

export const BULK_FILES: Artifact = {
  name: BULK,
  collector: (_, pageSize) => new MemberCollector(pageSize),
  merger: (context) => new PartMerger(context),
};

/** Maximum plain bytes of a gzip member. A larger record has its own member. */
const MAX_PLAIN = 2 ** 22;
const NEWLINE = 0x0a;

/** Compresses records into gzip members. Their ends depend only on records and page numbers, so that builds are reproducible. */
class MemberCollector implements Collector {
  readonly #recordsTogether: number;
  #members: Buffer[] = [];
  #plain = Buffer.alloc(0);
  #length = 0;

  /** @param lineOf makes the line of a record; the line is the record's canonical text unless given. */
  constructor(
    pageSize: number,
    private readonly lineOf?: (record: unknown) => string,
  ) {
    this.#recordsTogether = pagesTogether(pageSize) * pageSize;
  }

  collect(page: PageRecords): void {
    if (page.first % this.#recordsTogether === 0) this.#cut();
    for (const [, begin, end] of recordsOf(page))
      if (this.lineOf) {
        const line = Buffer.from(this.lineOf(JSON.parse(page.bytes.toString("utf8", begin, end))));
        this.#addLine(line, 0, line.length);
      } else this.#addLine(page.bytes, begin, end);
  }

  take(): Uint8Array<ArrayBuffer> {
    this.#cut();
    return joinPieces(this.#members.splice(0));
  }

  #addLine(bytes: Buffer, at: number, end: number): void {
    const length = end - at + 1;
    if (this.#length > 0 && this.#length + length > MAX_PLAIN) this.#cut();
    if (this.#length + length > this.#plain.length) this.#grow(this.#length + length);
    bytes.copy(this.#plain, this.#length, at, end);
    this.#length += length;
    this.#plain[this.#length - 1] = NEWLINE;
  }

  #grow(bytes: number): void {
    const larger = Buffer.alloc(2 * bytes);
    this.#plain.copy(larger, 0, 0, this.#length);
    this.#plain = larger;
  }

  #cut(): void {
    if (this.#length > 0) this.#members.push(compressed(this.#plain.subarray(0, this.#length)));
    this.#length = 0;
  }
}

/** Compresses like `gzip -6`, with more memory in less time. */
export function compressed(plain: Uint8Array): Buffer {
  // One chunk is usually enough, which avoids a copy.
  const bytes = gzipSync(plain, { level: 6, memLevel: 9, chunkSize: Math.max(65_536, plain.length >> 1) });
  hideSystem(bytes);
  return bytes;
}

interface OpenPart {
  path: string;
  file: SinkFile;
  count: number;
  members: number[];
  /** Of the plain bytes. */
  hash: Hash;
}

class PartMerger implements Merger {
  readonly #hash = createHash("sha256");
  readonly #parts: BulkPart[] = [];
  #part: OpenPart | undefined;

  constructor(private readonly context: MergeContext) {}

  /** Appends members. @throws UserError if a record is too large for a part, or a member is damaged */
  merge(piece: Uint8Array): void {
    for (const member of splitPieces(piece)) this.#write(member, unpacked(member));
  }

  async write(): Promise<void> {
    // An empty collection has one empty part, so that readers need no special case.
    if (this.#parts.length === 0 && !this.#part) this.#write(compressed(new Uint8Array()), new Uint8Array());
    this.#endPart();
    const count = this.#parts.reduce((sum, part) => sum + part.count, 0);
    const text = encodeBulk({ count, sha256: this.#hash.digest("hex"), parts: this.#parts });
    await this.context.sink.put(BULK, Buffer.from(text));
  }

  close(): void {
    this.#part?.file.close();
  }

  #write(member: Uint8Array, plain: Uint8Array): void {
    if (member.length > MAX_PACKED)
      throw new UserError(
        `Record ${this.#count() + 1} has ${member.length} compressed bytes, and a part of --bulk has at most ${MAX_PACKED}; build without --bulk.`,
      );
    if (this.#part && this.#part.file.bytes + member.length > MAX_PACKED) this.#endPart();
    this.#part ??= this.#beginPart();
    this.#part.file.write(member);
    this.#part.members.push(member.length);
    this.#part.hash.update(plain);
    this.#part.count += countLines(plain);
    this.#hash.update(plain);
  }

  #count(): number {
    return this.#parts.reduce((sum, part) => sum + part.count, this.#part?.count ?? 0);
  }

  #beginPart(): OpenPart {
    const path = partPath(this.#parts.length + 1);
    return { path, file: this.context.sink.create(path), count: 0, members: [], hash: createHash("sha256") };
  }

  #endPart(): void {
    if (!this.#part) return;
    const { path, file, hash, count, members } = this.#part;
    file.finish();
    this.#parts.push({ file: path, count, bytes: file.bytes, members, sha256: hash.digest("hex") });
    this.#part = undefined;
  }
}

function unpacked(member: Buffer): Buffer {
  try {
    return gunzipSync(member);
  } catch (cause) {
    throw new UserError(`The data for ${BULK} is damaged; run this again.`, { cause });
  }
}

function countLines(plain: Uint8Array): number {
  let count = 0;
  for (let at = plain.indexOf(NEWLINE); at >= 0; at = plain.indexOf(NEWLINE, at + 1)) count++;
  return count;
}

const partSchema = z.strictObject({
  file: z.string().describe("The part's path below the base URL."),
  count: countSchema.describe("Number of records in it."),
  bytes: countSchema.max(MAX_PACKED).describe("The size of the file."),
  members: z.array(countSchema.min(1)).min(1).describe("The bytes of each gzip member of the file, in order."),
  sha256: digestSchema.describe("The SHA-256 of its plain bytes."),
});

/** The form of bulk.json. openapi.json shows its descriptions. */
export const bulkSchema = z
  .strictObject({
    count: countSchema.describe("Number of records."),
    sha256: digestSchema.describe("The SHA-256 of all plain bytes."),
    parts: z.array(partSchema).min(1),
  })
  .superRefine(({ count, parts }, context) => {
    const note = (path: (string | number)[], message: string) => context.addIssue({ code: "custom", path, message });
    for (const [at, { file }] of parts.entries())
      if (file !== partPath(at + 1)) note(["parts", at, "file"], `must be ${partPath(at + 1)}`);
    const sum = parts.reduce((sum, part) => sum + part.count, 0);
    if (sum !== count) note(["count"], `must be the sum of the parts' counts, ${sum}`);
  });

export type Bulk = z.infer<typeof bulkSchema>;
export type BulkPart = Bulk["parts"][number];

/** Minimum number of records in a member. More would hardly improve compression. */
const RECORDS_TOGETHER = 1000;

/** Number of pages that are compressed together, counted from page 1. */
export function pagesTogether(pageSize: number): number {
  return Math.ceil(RECORDS_TOGETHER / pageSize);
}

/** The path of a part in a release. @param number from 1. */
function partPath(number: number): string {
  return `${BULK_FOLDER}/${number}.ndjson.gz`;
}

/** Writes bulk.json. */
export function encodeBulk(bulk: Bulk): string {
  return `${stringify(bulk)}\n`;
}

/** Parses bulk.json, or says why it is invalid, as the end of a sentence. */
export function parseBulk(text: string): Bulk | { why: string } {
  return readAs(bulkSchema, text);
}

/** records.csv.gz: a row for each record, with a column for each field. */
export const CSV_FILE: Artifact = {
  name: "csv",
  collector: (contract, pageSize) => new MemberCollector(pageSize, csvLineOf(csvColumns(contract))),
  merger({ contract, sink }) {
    const file = sink.create(CSV);
    file.write(compressed(Buffer.from(`${csvHeading(csvColumns(contract))}\n`)));
    return {
      merge(piece) {
        for (const member of splitPieces(piece)) file.write(member);
      },
      write: async () => file.finish(),
      close: () => file.close(),
    };
  },
};
