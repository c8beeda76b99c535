/** One thread of a build: reads pages on a connection of its own, checks, digests and writes them. */
import { workerData } from "node:worker_threads";
import { BulkMembers } from "../../bulk/members.js";
import { contractOf } from "../../contract/contract.js";
import { encodePage, type PagePosition, pageFrame } from "../../contract/page.js";
import { recordEncoder } from "../../contract/record/encode.js";
import { isBehind } from "../../contract/record/key.js";
import { recordFinder } from "../../contract/record/locate.js";
import type { WarningCounts } from "../../contract/record/warnings.js";
import { PageDigests } from "../../release/digests.js";
import { sha256 } from "../../release/files.js";
import { RecordLines } from "../../release/record/lines.js";
import { recordLine } from "../../release/record/list.js";
import type { Candidate } from "../../source/candidates.js";
import type { PageStart } from "../../source/order.js";
import { beginReading, PageReader } from "../../source/reader.js";
import { answerJobs } from "../../workers/thread.js";
import { gatheredMemory, PageGatherer } from "../gather.js";
import { type Known, type PageBytes, PageWriter, type Spent, toPageBytes } from "../page-writer.js";
import { validator } from "../records.js";
import { PAGE_LIMIT } from "../single-threaded.js";
import type { PageJob, PageResult, ThreadData } from "./messages.js";
import { type KeyRange, rangeOf } from "./order.js";

const { db, destination, trustsKnown, listBefore }: ThreadData = workerData;
const variants = ["identity", ...destination.encodings] as const;
let connection: ReturnType<typeof beginReading>;
let reader: PageReader;
let linesBefore: RecordLines | undefined;
const contract = contractOf(destination.contract);
const finder = recordFinder(contract);
const validate = validator(contract);
const encode = recordEncoder(contract);
const gatherer = new PageGatherer(destination);
let spent: Spent;

answerJobs(
  () => {
    if (listBefore !== undefined) linesBefore = new RecordLines(listBefore);
    return run;
  },
  (result) => [
    ...("members" in result ? result.members.map(({ memory }) => memory) : []),
    ...("gathered" in result && result.gathered ? gatheredMemory(result.gathered) : []),
  ],
);

function run(job: PageJob): PageResult {
  switch (job.kind) {
    case "begin":
      connection = beginReading(db);
      return { kind: "begun", isBegun: connection !== undefined };
    case "rest":
      connection?.close();
      connection = undefined;
      return { kind: "ready" };
    case "read":
      if (connection) reader = new PageReader(connection, job.share);
      return { kind: "ready" };
    case "write":
      return write(job);
    case "finish":
      return { kind: "finished", gathered: gatherer.finish() };
  }
}

function timed<T>(part: keyof Spent, step: () => T): T {
  const began = performance.now();
  const result = step();
  spent[part] = (spent[part] ?? 0) + performance.now() - began;
  return result;
}

function write({ collection, first, starts, known: before, memory }: Extract<PageJob, { kind: "write" }>): PageResult {
  spent = { read: 0, check: 0, digest: 0, write: 0 };
  const writer = new PageWriter(destination);
  const warnings: WarningCounts = {};
  const [knownDigests, digests] = [new PageDigests(starts.length, variants), new PageDigests(starts.length, variants)];
  knownDigests.fill(1, before);
  const list: Uint8Array[] = [];
  const members = new BulkMembers(memory);
  let range: KeyRange | undefined;
  for (const [index, start] of starts.entries()) {
    const known: Known = (variant) => knownDigests.find(index + 1, variant);
    const rows = Math.min(collection.pageSize, collection.count - start.offset);
    const page = makePage({ ...collection, page: first + index }, { start, rows }, known, warnings);
    if (!page) return { kind: "doubtful" };
    for (const [variant, digest] of timed("write", () => writer.write(first + index, page, known)))
      digests.set(index + 1, variant, digest);
    const lines = known("identity") === page.digest ? linesBefore?.lines(start.offset, rows) : undefined;
    const records = page.parts[1].toString("latin1");
    const listed = timed("digest", () => listRecords(page, records, lines));
    range = joined(range, listed.range);
    if (!range) return { kind: "doubtful" };
    list.push(listed.lines);
    if (destination.bulk) timed("write", () => members.add(page.parts[1]));
    if (destination.lookup) timed("gather", () => gatherer.add(start.offset, page.parts[1], records));
  }
  if (!range) throw new Error("A batch of no pages");
  const made = { digests: digests.slice(1, starts.length), lines: Uint8Array.from(Buffer.concat(list)), range };
  const compressed = timed("write", () => members.finish());
  const gathered = destination.lookup ? timed("gather", () => gatherer.takeMuch()) : undefined;
  return { kind: "written", ...made, members: compressed, gathered, totals: writer.totals, warnings, spent };
}

/**
 * The lines of a page's records in the list, unless the last release has them, and the range of their keys.
 * @param text of the records, with a character for each byte.
 */
function listRecords(
  { parts: [, records] }: PageBytes,
  text: string,
  before: Buffer | undefined,
): { lines: Buffer; range: KeyRange | undefined } {
  if (before) return { lines: before, range: rangeOf(contract, finder, text) };
  let lines = "";
  const range = rangeOf(contract, finder, text, (record) => {
    lines += recordLine(records, record);
  });
  return { lines: Buffer.from(lines, "latin1"), range };
}

/** The range of all pages so far; undefined when a record is out of order. */
function joined(before: KeyRange | undefined, range: KeyRange | undefined): KeyRange | undefined {
  if (!before || !range) return range;
  return isBehind(contract, range.first, before.last) ? { first: before.first, last: range.last } : undefined;
}

/** A page's bytes, checked; undefined when a record is invalid or a row is missing. */
function makePage(
  position: PagePosition,
  { start, rows }: { start: PageStart; rows: number },
  known: Known,
  warnings: WarningCounts,
): PageBytes | undefined {
  const text = timed("read", () => reader.readText(start, rows));
  // A page that is too large has to be refused in words that name it, which the single-threaded build finds.
  if (text.records.length > PAGE_LIMIT) return undefined;
  const { head, tail } = pageFrame(position);
  const parts = [Buffer.from(head), text.records, Buffer.from(tail)] as const;
  const digest = timed("digest", () => sha256(...parts));
  if (trustsKnown && text.isWhole && known("identity") === digest) return { parts, digest };
  if (timed("check", () => text.isPlain())) return { parts, digest };
  return timed("check", () => makeExactPage(position, reader.candidates(start, rows), rows, warnings));
}

function makeExactPage(
  position: PagePosition,
  candidates: Iterable<Candidate>,
  rows: number,
  warnings: WarningCounts,
): PageBytes | undefined {
  const records: string[] = [];
  let length = 0;
  for (const candidate of candidates) {
    if (validate(candidate, warnings).length > 0) return undefined;
    const record = encode(candidate.record);
    records.push(record);
    length += record.length;
    if (length > PAGE_LIMIT) return undefined;
  }
  return records.length === rows ? toPageBytes(encodePage(position, records)) : undefined;
}
