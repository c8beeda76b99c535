/** Checks that bulk.json with its parts, and the CSV file, have exactly the records of the pages, in order. */
import { createHash, type Hash } from "node:crypto";
import { statSync } from "node:fs";
import { join } from "node:path";
import { type Bulk, type BulkPart, encodeBulk, parseBulk, readPart } from "../../artifacts/bulk.js";
import { csvHeading, csvLineOf } from "../../artifacts/csv.js";
import { readBody } from "../../contract/envelope.js";
import { RECORD_SEPARATOR } from "../../contract/page.js";
import { recordFinder } from "../../contract/record/locate.js";
import { shorten, showValue } from "../../print/text.js";
import { BULK, BULK_FOLDER, CSV } from "../../release/layout.js";
import type { Findings } from "../verdict.js";
import { countLines, type Difference, firstOther } from "./comparing-sink.js";
import { type OpenRelease, readText } from "./manifest.js";
import { readPage, recordsOf } from "./page-check.js";
import { idFrom } from "./records.js";

/** Maximum bytes of bulk.json or changes.json, far more than either can have. */
const MAX_INDEX = 2 ** 24;
const NEWLINE = 0x0a;

/** Adds a finding about a file. */
export type Note = (path: string, difference: Difference) => void;

/** How to read bulk.json or changes.json. */
interface Index<T> {
  path: string;
  /** What it lists, and the word for each listed file. */
  what: string;
  one: string;
  folder: string;
  parse(text: string): T | { why: string };
  encode(value: T): string;
  filesOf(value: T): readonly { file: string; bytes: number }[];
}

/** Reads bulk.json or changes.json, and compares it with the existing files. @returns undefined if it is unusable */
export async function readIndex<T extends object>({ folder, tree }: OpenRelease, index: Index<T>, note: Note) {
  const { path, what, one, parse, encode, filesOf } = index;
  const text = await readText(folder, tree, path, MAX_INDEX);
  if (text === undefined && tree.whyAbsent(path) !== undefined) return undefined;
  const read = text === undefined ? { why: "is not readable" } : parse(text);
  if ("why" in read) return void note(path, { found: `a file that ${shorten(`${read.why}`, 200)}`, expected: what });
  if (text !== encode(read))
    note(path, { found: "another form", expected: "keys sorted, no white space, one final newline" });
  const named = new Map(filesOf(read).map(({ file, bytes }) => [file, bytes]));
  for (const [file, bytes] of named) {
    if (tree.lacks(file)) note(file, { found: "no such file", expected: `a ${one}` });
    if (tree.get(file) !== "file") continue;
    const { size } = statSync(join(folder, file));
    if (size !== bytes) note(file, { found: `${size} bytes`, expected: `${bytes}, as in ${path}` });
  }
  for (const file of tree.keys(`${index.folder}/`))
    if (!named.has(file)) note(file, { found: "a file", expected: `none, since ${path} has no such ${one}` });
  return read;
}

/** Passes the plain bytes of a part or a step to `take`, until it returns a difference. @returns that difference, or why the file is not one gzip */
export async function unpack(
  path: string,
  signal: AbortSignal | undefined,
  take: (plain: Buffer) => Difference | undefined,
  members?: readonly number[],
): Promise<Difference | undefined> {
  const plain = readPart(path, members);
  try {
    for (;;) {
      const next = await plain.next();
      signal?.throwIfAborted();
      if (next.done)
        return next.value === undefined
          ? undefined
          : { found: `a file that ${next.value}`, expected: "one whole gzip" };
      const difference = take(next.value);
      if (difference) return difference;
    }
  } finally {
    await plain.return(undefined);
  }
}

const BULK_INDEX: Index<Bulk> = {
  ...{ path: BULK, folder: BULK_FOLDER, what: "the parts that hold all records", one: "part" },
  ...{ parse: parseBulk, encode: encodeBulk, filesOf: ({ parts }) => parts },
};

/** Checks bulk.json and all parts. */
export async function checkBulk(
  release: OpenRelease,
  findings: Findings,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { snapshot, contract } = release.manifest;
  if (!snapshot || !contract) return;
  const note: Note = (path, difference) => findings.add({ check: "bulk", path, ...difference });
  const bulk = await readIndex(release, BULK_INDEX, note);
  if (!bulk) return;
  if (bulk.count !== snapshot.count)
    note(BULK, { found: `count ${bulk.count}`, expected: `${snapshot.count}, as in snapshot.json` });
  const [lines, all] = [new LinesOfPages(release), createHash("sha256")];
  for (const part of bulk.parts) {
    if (release.tree.get(part.file) !== "file") return;
    const difference = await checkPart(join(release.folder, part.file), part, lines, all, note, signal);
    if (difference) return note(part.file, difference);
  }
  const found = all.digest("hex");
  if (found !== bulk.sha256) note(BULK, { found: `sha256 ${bulk.sha256}`, expected: `${found}, of all plain bytes` });
}

async function checkPart(
  path: string,
  { file, count, members, sha256: listed }: BulkPart,
  pages: LinesOfPages,
  all: Hash,
  note: Note,
  signal: AbortSignal | undefined,
): Promise<Difference | undefined> {
  const own = createHash("sha256");
  let [lines, last] = [0, NEWLINE];
  const compare = (plain: Buffer) => {
    lines += countLines(plain);
    last = plain.at(-1) ?? last;
    for (const hash of [own, all]) hash.update(plain);
    return lines > count ? TOO_MANY : pages.compare(plain);
  };
  const difference = await unpack(path, signal, compare, members);
  if (difference) return difference;
  if (lines < count)
    return { found: `an end ${count - lines} records too early`, expected: `as many as ${BULK} counts` };
  if (last !== NEWLINE) return { found: "no newline at its end", expected: "a newline after every record" };
  const found = own.digest("hex");
  if (found !== listed) note(BULK, { found: `sha256 ${listed} of ${file}`, expected: `${found}, of its plain bytes` });
  return undefined;
}

const TOO_MANY = { found: "more records", expected: `no more than ${BULK} counts` };

/** Recreates the plain bytes of the CSV file from the pages, and compares them. */
export async function checkCsv(
  release: OpenRelease,
  findings: Findings,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { contract, snapshot } = release.manifest;
  const note = (difference: Difference) => findings.add({ check: "csv", path: CSV, ...difference });
  if (release.tree.lacks(CSV)) note({ found: "no such file", expected: "one, as the records make it" });
  if (release.tree.get(CSV) !== "file" || !contract || !snapshot) return;
  const lineOf = csvLineOf(contract);
  const lines = new LinesOfPages(release, csvHeading(contract), (record) => lineOf(JSON.parse(record)));
  const take = (plain: Buffer) => lines.compare(plain);
  const difference = (await unpack(join(release.folder, CSV), signal, take)) ?? lines.atEnd();
  if (difference) note(difference);
}

/** Compares plain bytes, in order, with lines made from the records of the pages. */
class LinesOfPages {
  #page = 0;
  #lines: Buffer;
  /** Bytes of `#lines` that were compared. */
  #at = 0;
  /** Records to skip, of a page that is known to be absent. */
  #skip = 0;

  /** @param heading the first line, if there is one. @param lineOf a record's line; its text unless given */
  constructor(
    private readonly release: OpenRelease,
    heading?: string,
    private readonly lineOf?: (record: string) => string,
  ) {
    this.#lines = Buffer.from(heading === undefined ? "" : `${heading}\n`);
  }

  compare(plain: Buffer): Difference | undefined {
    for (let at = 0; at < plain.length; ) {
      if (this.#skip > 0) {
        const end = plain.indexOf(NEWLINE, at);
        if (end < 0) return undefined;
        [this.#skip, at] = [this.#skip - 1, end + 1];
        continue;
      }
      if (this.#at === this.#lines.length) {
        if (this.#page === this.release.manifest.pages) return TOO_MANY;
        if (!this.#next())
          return { page: this.#page, found: "a record", expected: "what its page has, which cannot be read" };
        continue;
      }
      const length = Math.min(this.#lines.length - this.#at, plain.length - at);
      const [theirs, mine] = [plain.subarray(at), this.#lines.subarray(this.#at, this.#at + length)];
      if (!theirs.subarray(0, length).equals(mine)) return this.#findRecord(theirs);
      [this.#at, at] = [this.#at + length, at + length];
    }
    return undefined;
  }

  /** The difference if the pages have more records than the bytes. */
  atEnd(): Difference | undefined {
    const { pages } = this.release.manifest;
    while (this.#at === this.#lines.length && this.#page < pages && this.#next());
    if (this.#at === this.#lines.length) return undefined;
    return { page: this.#page, found: "an end", expected: "as many records as the pages have" };
  }

  /** Reads the next page. @returns false if it is not a page */
  #next(): boolean {
    const { folder, tree, manifest } = this.release;
    const path = manifest.paths.path(++this.#page);
    if (!tree.has(path) && !tree.lacks(path)) {
      this.#skip = manifest.snapshot?.page_size ?? 0;
      return true;
    }
    const bytes = tree.get(path) === "file" ? readPage(join(folder, path)) : undefined;
    const records = Buffer.isBuffer(bytes) ? recordsOf(bytes, readBody(bytes)) : undefined;
    const lines = records && this.#linesOf(records);
    [this.#lines, this.#at] = [lines ?? Buffer.alloc(0), 0];
    return lines !== undefined;
  }

  /** Undefined if a record is not JSON. */
  #linesOf(records: Buffer): Buffer | undefined {
    const { lineOf } = this;
    if (records.length === 0) return records;
    // A record has no newline, so separators are only between records.
    if (!lineOf) return Buffer.from(`${records.toString("latin1").replaceAll(RECORD_SEPARATOR, "\n")}\n`, "latin1");
    try {
      const lines = String(records).split(RECORD_SEPARATOR).map(lineOf);
      return Buffer.from(`${lines.join("\n")}\n`);
    } catch (error) {
      if (error instanceof SyntaxError) return undefined;
      throw error;
    }
  }

  /** The difference, with the record in which these bytes differ from the page. */
  #findRecord(theirs: Buffer): Difference {
    const { contract } = this.release.manifest;
    const at = this.#at + firstOther(theirs, this.#lines.subarray(this.#at));
    const begin = this.#lines.subarray(0, at).lastIndexOf(NEWLINE) + 1;
    const record = this.#lines.toString("latin1", begin, this.#lines.indexOf(NEWLINE, begin));
    const order = contract && recordFinder(contract).find(record, 0, record.length)?.order;
    const found = showValue(theirs.toString("utf8", at - this.#at, at - this.#at + 60));
    return { page: this.#page, ...(order && idFrom(order)), found, expected: "the record of its page, byte for byte" };
  }
}
