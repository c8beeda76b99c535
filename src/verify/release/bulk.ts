/** Proves bulk.json and its parts: they hold the records of the pages, byte for byte, in order, and nothing else. */
import { createHash } from "node:crypto";
import { statSync } from "node:fs";
import { join } from "node:path";
import type { Bulk, BulkPart } from "../../artifacts/bulk/parts.js";
import { readPart } from "../../artifacts/bulk/reader.js";
import { type Frame, readFrame } from "../../contract/envelope.js";
import { recordFinder } from "../../contract/record/locate.js";
import { showValue } from "../../print/text.js";
import { BULK, BULK_FOLDER } from "../../release/layout.js";
import { BULK_HEAD, noteUnnamed, readHead } from "../heads.js";
import { idFrom } from "../records.js";
import type { Finding, Findings } from "../verdict.js";
import { readPlainFile } from "./files.js";
import type { Manifest } from "./manifest.js";
import type { Tree } from "./tree.js";
import { readPlain } from "./variants.js";

/** Of bulk.json: far more than it has parts for all records that there may be. */
const MAX_BULK = 2 ** 24;
const NEWLINE = 0x0a;
/** Of a text that differs, in characters. */
const LONGEST_SHOWN = 60;

type Difference = Pick<Finding, "page" | "id" | "found" | "expected">;
type Note = (path: string, difference: Difference) => void;

/** Whether a release has any of it. Where it has not, there is nothing to prove. */
export function hasBulk({ others }: Manifest, tree: Tree): boolean {
  return others.has(BULK) || tree.has(BULK) || partsIn(tree).length > 0;
}

export async function checkBulk(
  folder: string,
  tree: Tree,
  manifest: Manifest,
  findings: Findings,
  signal: AbortSignal | undefined,
): Promise<void> {
  const note: Note = (path, difference) => findings.add({ check: "bulk", path, ...difference });
  const text = hasBulk(manifest, tree) ? await readPlainFile(folder, tree, BULK, MAX_BULK) : "";
  if (text === "" || !manifest.snapshot || !manifest.contract) return;
  const bulk = readHead(BULK_HEAD, text ?? { why: "is no file to read" }, note);
  if (!bulk) return;
  const { count } = manifest.snapshot;
  if (bulk.count !== count) note(BULK, { found: `count ${bulk.count}`, expected: `${count}, as in snapshot.json` });
  for (const { file } of bulk.parts) if (!tree.has(file)) note(file, { found: "no such file", expected: "a part" });
  noteUnnamed(BULK_HEAD, bulk.parts, partsIn(tree), note);
  await checkParts({ folder, tree, manifest, signal }, bulk, note);
}

/** The paths of all that stands where parts do. */
export function partsIn(tree: Tree): string[] {
  return [...tree.keys(`${BULK_FOLDER}/`)];
}

interface Context {
  folder: string;
  tree: Tree;
  manifest: Manifest;
  signal: AbortSignal | undefined;
}

async function checkParts(context: Context, { sha256, parts }: Bulk, note: Note): Promise<void> {
  const all = createHash("sha256");
  let [first, isProved] = [0, true];
  for (const part of parts) {
    isProved = (await checkPart(context, part, first, all, note)) && isProved;
    first += part.count;
  }
  const found = all.digest("hex");
  if (isProved && found !== sha256) note(BULK, { found: `sha256 ${sha256}`, expected: `${found}, of all plain bytes` });
}

/** @returns whether the part holds the records from number `first` (from 0) on that it should. */
async function checkPart(
  { folder, tree, manifest, signal }: Context,
  { file, count, bytes, sha256 }: BulkPart,
  first: number,
  all: ReturnType<typeof createHash>,
  note: Note,
): Promise<boolean> {
  if (tree.get(file) !== "file") return false;
  const { size } = statSync(join(folder, file));
  if (size !== bytes) note(file, { found: `${size} bytes`, expected: `${bytes}, as in ${BULK}` });
  const own = createHash("sha256");
  const records = new RecordsOfPages(folder, tree, manifest, first, count);
  const plain = readPart(join(folder, file));
  try {
    for (let next = await plain.next(); ; next = await plain.next()) {
      signal?.throwIfAborted();
      const difference = next.done ? records.atEnd() : records.differenceOf(next.value);
      if (next.done && next.value !== undefined)
        note(file, { found: `a file that ${next.value}`, expected: "one whole gzip" });
      else if (difference) note(file, difference);
      if (difference || (next.done && next.value !== undefined)) return false;
      if (next.done) break;
      own.update(next.value);
      all.update(next.value);
    }
  } finally {
    await plain.return(undefined);
  }
  const found = own.digest("hex");
  if (found !== sha256) note(BULK, { found: `sha256 ${sha256} of ${file}`, expected: `${found}, of its plain bytes` });
  return true;
}

/** The records of pages, one a line, as a part should have them; read as far as the part goes. */
class RecordsOfPages {
  readonly #finder;
  #page = 0;
  #body: Buffer = Buffer.alloc(0);
  #frame: Frame | undefined;
  #record: number;
  readonly #end: number;
  /** Bytes of the record that were compared. */
  #compared = 0;

  constructor(
    private readonly folder: string,
    private readonly tree: Tree,
    private readonly manifest: Manifest,
    first: number,
    count: number,
  ) {
    this.#finder = manifest.contract && recordFinder(manifest.contract);
    this.#record = first;
    this.#end = first + count;
  }

  /** Undefined where these bytes are the next ones. */
  differenceOf(plain: Buffer): Difference | undefined {
    for (let at = 0; at < plain.length; ) {
      if (this.#record === this.#end) return { found: "more records", expected: `no more than ${BULK} counts` };
      const span = this.#find();
      if (!span) return { page: this.#page, found: "a record", expected: "what its page has, which cannot be read" };
      const [begin, end] = [span[0] + this.#compared, span[1]];
      const length = Math.min(end - begin, plain.length - at);
      const isSame = plain.compare(this.#body, begin, begin + length, at, at + length) === 0;
      if (isSame) [this.#compared, at] = [this.#compared + length, at + length];
      if (isSame && at === plain.length) return undefined;
      if (!isSame || (begin + length === end && plain[at] !== NEWLINE)) return this.#differing(span, plain, at);
      [at, this.#record, this.#compared] = [at + 1, this.#record + 1, 0];
    }
    return undefined;
  }

  /** Undefined where nothing is missing. */
  atEnd(): Difference | undefined {
    const missing = this.#end - this.#record;
    return missing === 0
      ? undefined
      : { found: `an end ${missing} records too early`, expected: `as many as ${BULK} counts` };
  }

  /** Where the next record stands on its page. */
  #find(): readonly [begin: number, end: number] | undefined {
    const { page_size: size = 1 } = this.manifest.snapshot ?? {};
    const page = Math.floor(this.#record / size) + 1;
    if (page !== this.#page) {
      const path = this.manifest.paths.path(page);
      const body = this.tree.get(path) === "file" ? readPlain(join(this.folder, path)) : undefined;
      this.#body = body === undefined || body === "too large" ? Buffer.alloc(0) : body;
      [this.#page, this.#frame] = [page, readFrame(this.#body)];
    }
    return this.#frame?.records[this.#record % size];
  }

  #differing([begin, end]: readonly [number, number], plain: Buffer, at: number): Difference {
    const record = this.#body.toString("latin1", begin, end);
    const order = this.#finder?.find(record, 0, record.length)?.order;
    const found = showValue(plain.toString("utf8", at, at + LONGEST_SHOWN));
    return { page: this.#page, ...(order && idFrom(order)), found, expected: "the record of its page, byte for byte" };
  }
}
