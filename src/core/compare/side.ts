/** A side of a diff: a folder of pages, and the list of their records. */
import { join } from "node:path";
import type { Contract } from "../contract/contract.js";
import { readFrame } from "../contract/envelope.js";
import { fromBytes } from "../contract/record/key.js";
import { type RecordFinder, recordFinder } from "../contract/record/locate.js";
import { codeOf, hasCode, UserError } from "../errors.js";
import { shorten } from "../print/text.js";
import { EXPLORER, explorerPath, PagePaths, RECORDS } from "../release/layout.js";
import type { Release } from "../release/open.js";
import { readPlain, TOO_LARGE } from "../release/plain-files.js";
import { recordLines } from "../release/record-lines.js";
import { DigestedFile } from "../release/writer.js";
import { createTurns } from "../workers/turns.js";
import type { SideFacts } from "./change.js";

/** One of the two snapshots that a diff compares. */
export interface Side {
  facts: SideFacts;
  /** The folder with the pages in canonical form, at the paths that the contract gives. */
  folder: string;
  /** The path of its list of records, in the form of records.sha256. */
  list: string;
  /** The SHA-256 that the list must have, if known. */
  digest: string | undefined;
}

/** An entry of a list of records, without its key. */
export interface ListedRecord {
  /** Its number in published order, from 0. */
  at: number;
  digest: string;
}

/** An entry with its key as written in the list, one character per byte. */
export type ListEntry = ListedRecord & { key: string };

/** Progress and cancellation while a side is read. */
export interface ReadEffects {
  /** `words` are the contract's words for one record and for many. */
  onProgress: (done: { records: number; total: number; words?: readonly [one: string, many: string] }) => void;
  signal: AbortSignal | undefined;
  /** Called with each sentence about how a source was read. */
  onNote?: ((note: string) => void) | undefined;
}

/** A release as a side of a diff. */
export function openReleaseSide(release: Release, name: string): Side {
  const { folder, snapshot, contract, sums } = release;
  const { id, count, pages, page_size: pageSize, base_url: baseUrl, links, state: digest } = snapshot;
  const explorer = sums.others.has(EXPLORER) ? baseUrl + explorerPath(contract.listing.path) : undefined;
  const facts = { name, id, count, pages, pageSize, baseUrl, links, contract, explorer };
  return { facts, folder, list: join(folder, RECORDS), digest };
}

/** Pages to read before the event loop gets a turn. */
const PAGES_AT_ONCE = 64;

/**
 * A folder of pages as a side of a diff. Reads every page to write the list of records into `scratch`.
 * @throws UserError naming a page that is missing or not canonical, or has a wrong number of records.
 */
export async function indexed(folder: string, facts: SideFacts, scratch: string, signal?: AbortSignal): Promise<Side> {
  const { listing } = facts.contract;
  const turn = createTurns(PAGES_AT_ONCE, signal);
  const list = join(scratch, RECORDS);
  const file = new DigestedFile(list);
  const finder = recordFinder(facts.contract);
  const paths = new PagePaths(listing.path);
  try {
    for (let page = 1; page <= facts.pages; page++) {
      await turn();
      const bytes = readPage(join(folder, paths.path(page)), facts, page);
      if (!bytes) throw badPage(facts, page, "is not a file");
      const records = Math.min(facts.pageSize, facts.count - (page - 1) * facts.pageSize);
      const lines = linesOf(bytes, records, finder);
      if (!lines) throw badPage(facts, page, `is not ${records} ${listing.words[1]} in the canonical form`);
      file.write(lines);
    }
    file.finish();
  } finally {
    file.close();
  }
  return { facts, folder, list, digest: undefined };
}

/** Reads a page synchronously, which is much faster; undefined if it is not a regular file. @throws UserError if it cannot be read. */
export function readPage(path: string, facts: Named, page: number): Buffer | undefined {
  try {
    return readPlain(path);
  } catch (cause) {
    const why = hasCode(cause, TOO_LARGE) ? "is larger than a page may be" : `cannot be read (${codeOf(cause)})`;
    throw badPage(facts, page, why, cause);
  }
}

function linesOf(page: Buffer, records: number, finder: RecordFinder): Buffer | undefined {
  const frame = readFrame(page);
  if (frame?.records.length !== records) return undefined;
  return recordLines(finder, page.subarray(frame.records[0]?.[0] ?? 0, frame.records.at(-1)?.[1] ?? 0));
}

type Named = Pick<SideFacts, "name">;

/** The error for a page of a side. @param why the end of a sentence that begins with the page. */
export function badPage({ name }: Named, page: number, why: string, cause?: unknown): UserError {
  return new UserError(`Page ${page} of ${name} ${why}; check it with "rollcall verify".`, { cause });
}

const LONGEST_NAME = 100;

/** The name of a record in messages: `station EGLL`. @param key as written in a list. */
export function nameOf({ listing }: Pick<Contract, "listing">, key: string): string {
  return `${listing.words[0]} ${shorten(fromBytes(key), LONGEST_NAME)}`;
}
