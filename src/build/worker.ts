/** One worker of a build: reads pages on a connection of its own, checks, digests and writes them. */
import { workerData } from "node:worker_threads";
import { encodePage, type PagePosition, pageFrame } from "../contract/page.js";
import { countWarnings, type WarningCounts } from "../contract/warnings.js";
import { PageDigests } from "../release/digests.js";
import { sha256 } from "../release/files.js";
import type { Variant } from "../release/layout.js";
import { LINE_BYTES, UserIndexReader, userLines } from "../release/user-index.js";
import type { Candidate } from "../source/candidates.js";
import { compareLeaves, type LeafOrder } from "../source/leaves.js";
import type { PageStart } from "../source/order.js";
import { PageReader } from "../source/reader.js";
import { follow } from "../threads/follow.js";
import { encodeUser } from "./encode.js";
import type { Order, Reply, WorkerOrders } from "./messages.js";
import { type Known, type PageBytes, PageWriter, toPageBytes } from "./page-writer.js";
import type { Spent } from "./pages.js";
import { PAGE_LIMIT } from "./paginate.js";
import { validate } from "./users.js";

const { share, placing, trustsKnown, hasIndex }: WorkerOrders = workerData;
const variants = ["identity", ...placing.encodings] as const;
const reader = new PageReader(share);
const indexBefore =
  hasIndex && placing.previous !== undefined ? new UserIndexReader(placing.previous) : undefined;
let spent: Spent = nothingSpent();

type PlaceOrder = Extract<Order, { kind: "place" }>;

/** Rows that may be others than they were when the last release was made; nothing is known while it is undefined. */
let suspects: ReadonlySet<number> | undefined;

follow((order: Order): Reply => {
  switch (order.kind) {
    case "begin":
      return { kind: "begun", isBegun: reader.begin() };
    case "compare":
      return { kind: reader.hasUniqueIds() ? "unique" : "doubtful" };
    case "look":
      return look(order.leaves);
    case "suspect":
      suspects = order.suspects;
      return { kind: "noted" };
    case "place":
      return place(order);
  }
});

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

function look(leaves: LeafOrder): Reply {
  try {
    return { kind: "looked", suspects: compareLeaves(leaves) };
  } catch (error) {
    if (error instanceof RangeError) return { kind: "doubtful" };
    throw error;
  }
}

function place({ collection, first, starts, known: knownBytes }: PlaceOrder): Reply {
  spent = nothingSpent();
  const writer = new PageWriter(placing);
  const warnings: WarningCounts = {};
  const before = new PageDigests(starts.length, variants);
  before.fill(1, knownBytes);
  const digests = new PageDigests(starts.length, variants);
  const users: Uint8Array[] = [];
  for (const [index, start] of starts.entries()) {
    const known: Known = (variant) => before.find(index + 1, variant);
    const note = (placed: [Variant, string][]) => {
      for (const [variant, digest] of placed) digests.set(index + 1, variant, digest);
    };
    const rows = Math.min(collection.pageSize, collection.count - start.offset);
    const lines = timed("read", () => linesAsBefore(start, rows));
    const kept = lines && timed("write", () => writer.keep(first + index, known));
    if (lines && kept) {
      note(kept);
      users.push(lines);
      continue;
    }
    const page = makePage({ ...collection, page: first + index }, { start, rows }, known, warnings);
    if (!page) return { kind: "doubtful" };
    note(timed("write", () => writer.place(first + index, page, known)));
    users.push(
      timed("digest", () => {
        const isKnown = known("identity") === page.digest;
        return (isKnown && indexBefore?.lines(start.offset, rows)) || userLines(page.parts[1]);
      }),
    );
  }
  const { totals } = writer;
  return {
    kind: "placed",
    digests: digests.slice(1, starts.length),
    users: Uint8Array.from(Buffer.concat(users)),
    totals,
    warnings,
    spent,
  };
}

/** The page's lines of the last release's index, if all of its users are as they were then. */
function linesAsBefore(start: PageStart, rows: number): Buffer | undefined {
  if (!suspects || !trustsKnown || !indexBefore) return undefined;
  const rowids = reader.rowids(start, rows);
  const lines = indexBefore.lines(start.offset, rows);
  if (rowids.length !== rows || lines.length !== rows * LINE_BYTES) return undefined;
  const places = rowids.flatMap((rowid, at) => (suspects?.has(rowid) ? [at] : []));
  if (places.length === 0) return lines;
  const records = reader.readRows(places.map((at) => rowids[at] ?? 0));
  const isSame = records && userLines(records).equals(Buffer.concat(places.map((at) => lineAt(lines, at))));
  return isSame ? lines : undefined;
}

function lineAt(lines: Buffer, at: number): Buffer {
  return lines.subarray(at * LINE_BYTES, (at + 1) * LINE_BYTES);
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
