/** Makes an index of users (users.sha256) for pages that have none, by reading every page once. */
import { join } from "node:path";
import { readFrame } from "../contract/envelope.js";
import { codeOf, UserError } from "../errors.js";
import { readReleaseFileSync } from "../release/files.js";
import { PagePaths } from "../release/layout.js";
import { LINE_BYTES, UserIndexWriter, userLines } from "../release/user-index.js";
import { createTurns } from "../workers/turns.js";
import type { SideFacts } from "./change.js";

const PAGES_AT_ONCE = 64;

/** @throws UserError naming a page that is missing, not canonical, or has not as many users as it should. */
export async function indexPages(folder: string, facts: SideFacts, target: string, signal?: AbortSignal) {
  const turn = createTurns(PAGES_AT_ONCE, signal);
  const index = new UserIndexWriter(target);
  const paths = new PagePaths(facts.contract.listing.path);
  try {
    for (let page = 1; page <= facts.pages; page++) {
      await turn();
      const bytes = readPage(join(folder, paths.path(page)), facts, page);
      if (!bytes) throw badPage(facts, page, "is no file");
      const users = Math.min(facts.pageSize, facts.count - (page - 1) * facts.pageSize);
      const lines = linesOf(bytes);
      if (lines?.length !== users * LINE_BYTES || !LINES.test(lines.toString("latin1")))
        throw badPage(facts, page, `is not ${users} users in the canonical form`);
      index.add(page, 1, lines);
    }
    index.finish();
  } finally {
    index.close();
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

function linesOf(page: Buffer): Buffer | undefined {
  const frame = readFrame(page);
  return frame && userLines(page.subarray(frame.records[0]?.[0] ?? 0, frame.records.at(-1)?.[1] ?? 0));
}

const LINES = /^(?:[0-9a-f]{32} {2}[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\n)*$/;

type Named = Pick<SideFacts, "name">;

export function badPage({ name }: Named, page: number, why: string, cause?: unknown): UserError {
  return new UserError(`Page ${page} of ${name} ${why}; check it with "rollcall verify".`, { cause });
}
