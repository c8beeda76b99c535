/** One of the two snapshots that a diff compares: a folder of pages, and the list of their records. */
import { join } from "node:path";
import type { Contract } from "../contract/contract.js";
import { readFrame } from "../contract/envelope.js";
import { fromBytes } from "../contract/record/key.js";
import { type RecordFinder, recordFinder } from "../contract/record/locate.js";
import { codeOf, UserError } from "../errors.js";
import { shorten } from "../print/text.js";
import { EXPLORER, PagePaths, RECORDS } from "../release/layout.js";
import type { Release } from "../release/open.js";
import { readReleaseFileSync } from "../release/plain-files.js";
import { recordLines } from "../release/record-lines.js";
import { DigestedFile } from "../release/writer.js";
import { createTurns } from "../workers/turns.js";
import type { SideFacts } from "./change.js";

export interface Side {
  facts: SideFacts;
  /** The folder that holds the pages by the paths of the contract, in canonical form. */
  folder: string;
  /** The path of a file in the form of records.sha256. */
  list: string;
  /** The SHA-256 that the list must have, if the snapshot says it. */
  digest: string | undefined;
}

/** Where a record stands in a list. */
export interface Listed {
  /** Its number in published order, from 0. */
  at: number;
  digest: string;
}

/** With the key as it is written in the list, byte by byte. */
export type ListEntry = Listed & { key: string };

/** How reading a side reports its progress, and what stops it. */
export interface ReadEffects {
  /** `words` are the contract's for one record and for many. */
  onProgress: (done: { records: number; total: number; words?: readonly [one: string, many: string] }) => void;
  signal: AbortSignal | undefined;
}

export function openReleaseSide(release: Release, name: string): Side {
  const { folder, snapshot, contract, sums } = release;
  const { id, count, pages, page_size: pageSize, base_url: baseUrl, links, state: digest } = snapshot;
  const explorer = sums.others.has(EXPLORER) ? `${baseUrl}/` : undefined;
  const facts = { name, id, count, pages, pageSize, baseUrl, links, contract, explorer };
  return { facts, folder, list: join(folder, RECORDS), digest };
}

const PAGES_AT_ONCE = 64;

/**
 * Pages as a side of a diff. Every page is read once to write the list of their records into `scratch`.
 * @throws UserError naming a page that is missing, not canonical, or has not as many records as it should.
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
      if (!bytes) throw badPage(facts, page, "is no file");
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

/** Undefined when there is no plain file. Reads synchronously, which is much faster. @throws UserError. */
export function readPage(path: string, facts: Named, page: number): Buffer | undefined {
  try {
    return readReleaseFileSync(path);
  } catch (cause) {
    throw badPage(facts, page, `cannot be read (${codeOf(cause)})`, cause);
  }
}

function linesOf(page: Buffer, records: number, finder: RecordFinder): Buffer | undefined {
  const frame = readFrame(page);
  if (frame?.records.length !== records) return undefined;
  return recordLines(finder, page.subarray(frame.records[0]?.[0] ?? 0, frame.records.at(-1)?.[1] ?? 0));
}

type Named = Pick<SideFacts, "name">;

export function badPage({ name }: Named, page: number, why: string, cause?: unknown): UserError {
  return new UserError(`Page ${page} of ${name} ${why}; check it with "rollcall verify".`, { cause });
}

const LONGEST_NAME = 100;

/** A record as messages name it, by its key as it is written in a list: `station EGLL`. */
export function nameOf({ listing }: Pick<Contract, "listing">, key: string): string {
  return `${listing.words[0]} ${shorten(fromBytes(key), LONGEST_NAME)}`;
}
