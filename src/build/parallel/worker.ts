/** One worker of a build: reads pages on a connection of its own, checks, digests and writes them. */
import { workerData } from "node:worker_threads";
import { encodePage, type PagePosition, pageFrame } from "../../contract/page.js";
import { countWarnings, type WarningCounts } from "../../contract/warnings.js";
import { PageDigests } from "../../release/digests.js";
import { sha256 } from "../../release/files.js";
import { UserIndexReader, userLine } from "../../release/user-index.js";
import type { Candidate } from "../../source/candidates.js";
import type { PageStart } from "../../source/order.js";
import { beginReading, PageReader } from "../../source/reader.js";
import { answerJobs } from "../../workers/thread.js";
import { encodeUser } from "../encode.js";
import { isBehind, type Span, spanOf } from "../in-order.js";
import { type Known, type PageBytes, PageWriter, toPageBytes } from "../page-writer.js";
import type { Spent } from "../pages.js";
import { PAGE_LIMIT } from "../paginate.js";
import { validate } from "../users.js";
import type { Order, PoolOrders, Reply } from "./messages.js";

const { db, placing, trustsKnown, hasIndex }: PoolOrders = workerData;
const variants = ["identity", ...placing.encodings] as const;
let connection: ReturnType<typeof beginReading>;
let reader: PageReader;
let indexBefore: UserIndexReader | undefined;
let spent: Spent = nothingSpent();

type PlaceOrder = Extract<Order, { kind: "place" }>;

answerJobs(() => {
  if (hasIndex && placing.previous !== undefined) indexBefore = new UserIndexReader(placing.previous);
  return obey;
});

function obey(order: Order): Reply {
  switch (order.kind) {
    case "begin":
      connection = beginReading(db);
      return { kind: "begun", isBegun: connection !== undefined };
    case "rest":
      connection?.close();
      connection = undefined;
      return { kind: "ready" };
    case "read":
      if (connection) reader = new PageReader(connection, order.share);
      return { kind: "ready" };
    case "place":
      return place(order);
  }
}

function nothingSpent(): Spent {
  return { read: 0, check: 0, digest: 0, write: 0 };
}

/** Runs a step and adds its time to its part. */
function timed<T>(part: keyof Spent, step: () => T): T {
  const began = performance.now();
  const result = step();
  spent[part] += performance.now() - began;
  return result;
}

function place({ collection, first, starts, known: knownBytes }: PlaceOrder): Reply {
  spent = nothingSpent();
  const writer = new PageWriter(placing);
  const warnings: WarningCounts = {};
  const before = new PageDigests(starts.length, variants);
  before.fill(1, knownBytes);
  const digests = new PageDigests(starts.length, variants);
  const users: Uint8Array[] = [];
  let span: Span | undefined;
  for (const [index, start] of starts.entries()) {
    const known: Known = (variant) => before.find(index + 1, variant);
    const rows = Math.min(collection.pageSize, collection.count - start.offset);
    const page = makePage({ ...collection, page: first + index }, { start, rows }, known, warnings);
    if (!page) return { kind: "doubtful" };
    for (const [variant, digest] of timed("write", () => writer.place(first + index, page, known)))
      digests.set(index + 1, variant, digest);
    const isKnown = known("identity") === page.digest;
    const told = timed("digest", () => {
      return tell(page, isKnown ? indexBefore?.lines(start.offset, rows) : undefined);
    });
    span = joined(span, told.span);
    if (!span) return { kind: "doubtful" };
    users.push(told.lines);
  }
  if (!span) throw new Error("An order of no pages");
  const { totals } = writer;
  return {
    kind: "placed",
    digests: digests.slice(1, starts.length),
    users: Uint8Array.from(Buffer.concat(users)),
    span,
    totals,
    warnings,
    spent,
  };
}

/** The lines of a page's users, unless they are at hand, and where the users stand. */
function tell({ parts }: PageBytes, before: Buffer | undefined): { lines: Buffer; span: Span | undefined } {
  const [, records] = parts;
  if (before) return { lines: before, span: spanOf(records) };
  let lines = "";
  const span = spanOf(records, (record) => {
    lines += userLine(records, record);
  });
  return { lines: Buffer.from(lines, "latin1"), span };
}

/** The span of all pages so far; undefined when a user is out of order. */
function joined(before: Span | undefined, span: Span | undefined): Span | undefined {
  if (!before || !span) return span;
  return isBehind(span.first, before.last) ? { first: before.first, last: span.last } : undefined;
}

/** A page's bytes, checked; undefined when a user is invalid or a row is missing. */
function makePage(
  position: PagePosition,
  { start, rows }: { start: PageStart; rows: number },
  known: Known,
  warnings: WarningCounts,
): PageBytes | undefined {
  const text = timed("read", () => reader.readText(start, rows));
  // So large that it may have to be refused, in words that name the page.
  if (text.records.length > PAGE_LIMIT) return undefined;
  const { head, tail } = pageFrame(position);
  const parts = [Buffer.from(head), text.records, Buffer.from(tail)] as const;
  const digest = timed("digest", () => sha256(...parts));
  if (trustsKnown && text.isWhole && known("identity") === digest) return { parts, digest };
  if (timed("check", () => text.isPlain())) return { parts, digest };
  return timed("check", () => makeExactPage(position, reader.candidates(start, rows), rows, warnings));
}

/** The same from rows for themselves, every user asked of the schema. */
function makeExactPage(
  position: PagePosition,
  candidates: Iterable<Candidate>,
  rows: number,
  warnings: WarningCounts,
): PageBytes | undefined {
  const records: string[] = [];
  let length = 0;
  for (const candidate of candidates) {
    const { user } = validate(candidate);
    if (!user) return undefined;
    countWarnings(user, warnings);
    records.push(encodeUser(user));
    length += records.at(-1)?.length ?? 0;
    if (length > PAGE_LIMIT) return undefined;
  }
  if (records.length !== rows) return undefined;
  return toPageBytes(encodePage(position, records));
}
