/** One of the two snapshots that a diff compares: a folder of pages, and the list of their records. */
import { join } from "node:path";
import { EXPLORER, RECORDS } from "../release/layout.js";
import type { Release } from "../release/open.js";
import type { SideFacts } from "./change.js";
import { indexPages } from "./index-pages.js";

export interface Side {
  facts: SideFacts;
  /** The folder that holds the pages by the paths of the contract, in canonical form. */
  folder: string;
  /** The path of a file in the form of records.sha256. */
  list: string;
  /** The SHA-256 that the list must have, if the snapshot says it. */
  digest: string | undefined;
}

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

/** Pages as a side of a diff, with a list of records that is made from them. @throws UserError as `indexPages` does. */
export async function indexed(folder: string, facts: SideFacts, scratch: string, signal?: AbortSignal): Promise<Side> {
  await indexPages(folder, facts, scratch, signal);
  return { facts, folder, list: join(scratch, RECORDS), digest: undefined };
}
