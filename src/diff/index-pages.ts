/** Makes a list of records (records.sha256) for pages that have none, by reading every page once. */
import { join } from "node:path";
import { readFrame } from "../contract/envelope.js";
import { type RecordFinder, recordFinder } from "../contract/record/locate.js";
import { codeOf, UserError } from "../errors.js";
import { readReleaseFileSync } from "../release/files.js";
import { PagePaths, RECORDS } from "../release/layout.js";
import { recordLines } from "../release/record-lines.js";
import { DigestedFile } from "../release/write.js";
import { createTurns } from "../workers/turns.js";
import type { SideFacts } from "./change.js";

const PAGES_AT_ONCE = 64;

/** @throws UserError naming a page that is missing, not canonical, or has not as many records as it should. */
export async function indexPages(folder: string, facts: SideFacts, target: string, signal?: AbortSignal) {
  const { listing } = facts.contract;
  const turn = createTurns(PAGES_AT_ONCE, signal);
  const list = new DigestedFile(join(target, RECORDS));
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
      list.write(lines);
    }
    list.finish();
  } finally {
    list.close();
  }
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
