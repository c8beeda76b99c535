/** Writes all pages on this thread, in order, and checks every user by the schema: the plain way, and the exact one. */
import { USERS_CONTRACT } from "../contract/contract.js";
import { encodePage, encodeUser } from "../contract/page.js";
import { recordFinder } from "../contract/record/locate.js";
import type { User } from "../contract/user.js";
import type { WarningCounts } from "../contract/warnings.js";
import { UserError } from "../errors.js";
import { PageDigests } from "../release/digests.js";
import type { Release } from "../release/open.js";
import { RecordListWriter, recordLines } from "../release/record-list.js";
import type { Source } from "../source/open.js";
import { createTurns } from "../workers/turns.js";
import {
  type Collection,
  type Destination,
  type Known,
  PageWriter,
  toPageBytes,
  type WrittenPages,
} from "./page-writer.js";
import { readUsers, type Tally } from "./users.js";

interface SingleThreadedEffects extends Omit<Tally, "warnings"> {
  signal: AbortSignal | undefined;
  /** Asked before each page. Once it says no, users are still checked, but no page is written. */
  isWanted(): boolean;
}

/** @returns undefined when `isWanted` has said no. */
export async function writePagesSingleThreaded(
  source: Source,
  collection: Collection,
  destination: Destination,
  previous: Release | undefined,
  { onInvalid, onProgress, signal, isWanted }: SingleThreadedEffects,
): Promise<WrittenPages | undefined> {
  const warnings: WarningCounts = {};
  const writer = new PageWriter(destination);
  const digests = new PageDigests(collection.pages, ["identity", ...destination.encodings]);
  const list = new RecordListWriter(destination.folder);
  const finder = recordFinder(USERS_CONTRACT);
  const turn = createTurns(1, signal);
  let page = 0;
  try {
    for (const texts of paginate(readUsers(source, { onInvalid, onProgress, warnings }), collection)) {
      await turn();
      page++;
      if (!isWanted()) continue;
      const bytes = toPageBytes(texts);
      const known: Known = (variant) => previous?.sums.pages.get(page, variant);
      for (const [variant, digest] of writer.write(page, bytes, known)) digests.set(page, variant, digest);
      const lines = recordLines(finder, bytes.parts[1]);
      if (!lines) throw new Error(`Page ${page} has a record without a key.`);
      list.add(page, 1, lines);
    }
    if (!isWanted()) return undefined;
    if (page !== collection.pages)
      throw new Error(`${page} pages came of ${collection.count} users, not ${collection.pages}`);
    const { totals } = writer;
    return { collection, digests, records: list.finish(), totals, warnings, workers: 0, spent: undefined };
  } finally {
    list.close();
  }
}

/** The canonical texts of all pages, in parts, each as soon as its users are there. An empty collection has one page. */
export function* paginate(
  users: Iterable<User>,
  { pageSize, ...collection }: Collection,
): Generator<ReturnType<typeof encodePage>, void> {
  let page = 1;
  let records: string[] = [];
  let length = 0;
  for (const user of users) {
    const record = encodeUser(user);
    length += record.length;
    if (length > PAGE_LIMIT) throw tooLarge(page, pageSize);
    records.push(record);
    if (records.length < pageSize) continue;
    yield encodePage({ ...collection, page: page++ }, records);
    [records, length] = [[], 0];
  }
  if (records.length > 0 || collection.count === 0) yield encodePage({ ...collection, page }, records);
}

/** Characters of one page: half of the longest text that JavaScript can hold, since readers have to hold a page, too. */
export const PAGE_LIMIT = 2 ** 28;

function tooLarge(page: number, pageSize: number): UserError {
  return new UserError(
    `Page ${page} would have more than ${Math.floor(PAGE_LIMIT / 1e6)} million characters; take fewer than ${pageSize} users a page with --page-size.`,
  );
}
