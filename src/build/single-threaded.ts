/** Writes all pages on this thread, in order, and checks every record by the schema: the plain way, and the exact one. */

import { bulkFor } from "../bulk/handover.js";
import { BulkMembers, pagesTogether } from "../bulk/members.js";
import { type Contract, contractOf } from "../contract/contract.js";
import { encodePage } from "../contract/page.js";
import { recordEncoder } from "../contract/record/encode.js";
import { recordFinder } from "../contract/record/locate.js";
import type { WarningCounts } from "../contract/record/warnings.js";
import { UserError } from "../errors.js";
import { PageDigests } from "../release/digests.js";
import type { Release } from "../release/open.js";
import { RecordListWriter, recordLines } from "../release/record/list.js";
import { type PageRange, pagesOf, rowsOfPages } from "../shards/cut.js";
import type { Source } from "../source/open.js";
import { createTurns } from "../workers/turns.js";
import type { Gathered } from "./gather.js";
import {
  type Collection,
  type Destination,
  type Known,
  PageWriter,
  type Task,
  toPageBytes,
  type WrittenPages,
} from "./page-writer.js";
import { readRecords, type Tally } from "./records.js";
import { loadGathering } from "./task.js";

interface SingleThreadedEffects extends Omit<Tally, "warnings"> {
  signal: AbortSignal | undefined;
  /** Asked before each page. Once it says no, records are still checked, but no page is written. */
  isWanted(): boolean;
}

/** @returns undefined when `isWanted` has said no. */
export async function writePagesSingleThreaded(
  source: Source,
  { collection, range }: Task,
  destination: Destination,
  previous: Release | undefined,
  { onInvalid, onProgress, signal, isWanted }: SingleThreadedEffects,
): Promise<WrittenPages | undefined> {
  const warnings: WarningCounts = {};
  const contract = contractOf(destination.contract);
  const writer = new PageWriter(destination);
  const variants = ["identity", ...destination.encodings] as const;
  const sums = new PageDigests(pagesOf(range), variants);
  const list = new RecordListWriter(destination.folder);
  const bulk = bulkFor(destination, previous);
  const gathering = await loadGathering(destination);
  const gathered = gathering && new gathering.GatheredFiles(destination, collection, previous);
  const gatherer = gathering && new gathering.PageGatherer(destination);
  let members = new BulkMembers();
  const together = pagesTogether(collection.pageSize);
  const finder = recordFinder(contract);
  const turn = createTurns(1, signal);
  const rows = isAll(range, collection) ? undefined : rowsOfPages(range, collection);
  const handOver = (some: Gathered | undefined) => {
    if (some) gathered?.take(some);
  };
  let page = range.first - 1;
  const before = page;
  try {
    const records = readRecords(source, contract, { onInvalid, onProgress, warnings }, rows);
    for (const texts of paginate(contract, records, { collection, range })) {
      await turn();
      page++;
      if (!isWanted()) continue;
      const bytes = toPageBytes(texts);
      const known: Known = (variant) => previous?.sums.pages.get(page, variant);
      for (const [variant, digest] of writer.write(page, bytes, known)) sums.set(page - before, variant, digest);
      const lines = recordLines(finder, bytes.parts[1]);
      if (!lines) throw new Error(`Page ${page} has a record without a key.`);
      list.add(page - before, 1, lines);
      gatherer?.add((page - 1) * collection.pageSize, bytes.parts[1]);
      handOver(gatherer?.takeMuch());
      if (!bulk) continue;
      members.add(bytes.parts[1]);
      if (page % together > 0 && page < range.last) continue;
      // Waits for nobody, since pages come in order.
      bulk.add(Math.ceil((page - before) / together), 1, members.finish());
      members = new BulkMembers(bulk.memory());
    }
    if (!isWanted()) return undefined;
    if (page !== range.last)
      throw new Error(`Page ${page} is the last of ${collection.count} records, not ${range.last}`);
    handOver(gatherer?.finish());
    const made = await gathered?.finish(signal);
    const { totals } = writer;
    const lists = { digests: sums, records: list.finish(), bulk: bulk?.finish(), gathered: made };
    return { collection, range, ...lists, totals, warnings, workers: 0, spent: undefined };
  } finally {
    gathered?.close();
    bulk?.close();
    list.close();
    await writer.finish();
  }
}

function isAll({ first, last }: PageRange, { pages }: Collection): boolean {
  return first === 1 && last === pages;
}

/** The canonical texts of pages, in parts, each as soon as its records are there. An empty collection has one page. */
export function* paginate(
  contract: Contract,
  all: Iterable<unknown>,
  { collection: { pageSize, ...collection }, range }: Task,
): Generator<ReturnType<typeof encodePage>, void> {
  const encode = recordEncoder(contract);
  const [, many] = contract.listing.words;
  let page = range.first;
  let records: string[] = [];
  let length = 0;
  for (const one of all) {
    const record = encode(one);
    length += record.length;
    if (length > PAGE_LIMIT) throw tooLarge(page, pageSize, many);
    records.push(record);
    if (records.length < pageSize) continue;
    yield encodePage({ ...collection, page: page++ }, records);
    [records, length] = [[], 0];
  }
  if (records.length > 0 || (collection.count === 0 && page === range.last))
    yield encodePage({ ...collection, page }, records);
}

/** Characters of one page: half of the longest text that JavaScript can hold, since readers have to hold a page, too. */
export const PAGE_LIMIT = 2 ** 28;

function tooLarge(page: number, pageSize: number, many: string): UserError {
  return new UserError(
    `Page ${page} would have more than ${Math.floor(PAGE_LIMIT / 1e6)} million characters; take fewer than ${pageSize} ${many} a page with --page-size.`,
  );
}
