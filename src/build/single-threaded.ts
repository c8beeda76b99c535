/** Places all pages on this thread, in order, every user asked of the schema: the plain path, and the exact one. */
import type { WarningCounts } from "../contract/warnings.js";
import { PageDigests } from "../release/digests.js";
import type { Release } from "../release/open.js";
import { UserIndexWriter, userLines } from "../release/user-index.js";
import type { Source } from "../source/open.js";
import { createTurns } from "../workers/turns.js";
import type { OnBuildProgress } from "./options.js";
import { type Known, PageWriter, type Placing, toPageBytes } from "./page-writer.js";
import type { Collection, WrittenPages } from "./pages.js";
import { paginate } from "./paginate.js";
import { readUsers, type Tally } from "./users.js";

interface AloneEffects {
  onInvalid: Tally["onInvalid"];
  onProgress: OnBuildProgress;
  signal: AbortSignal | undefined;
  /** Asked before each page; once it says no, users are still checked, but nothing is placed. */
  isWanted(): boolean;
}

/** @returns undefined when pages were not wanted any more. */
export async function writePagesSingleThreaded(
  source: Source,
  collection: Collection,
  placing: Placing,
  previous: Release | undefined,
  { onInvalid, onProgress, signal, isWanted }: AloneEffects,
): Promise<WrittenPages | undefined> {
  const warnings: WarningCounts = {};
  const writer = new PageWriter(placing);
  const digests = new PageDigests(collection.pages, ["identity", ...placing.encodings]);
  const index = new UserIndexWriter(placing.folder);
  const turn = createTurns(1, signal);
  let page = 0;
  try {
    for (const texts of paginate(readUsers(source, { onInvalid, onProgress, warnings }), collection)) {
      await turn();
      page++;
      if (!isWanted()) continue;
      const bytes = toPageBytes(texts);
      const known: Known = (variant) => previous?.sums.pages.get(page, variant);
      for (const [variant, digest] of writer.place(page, bytes, known)) {
        digests.set(page, variant, digest);
      }
      index.add(page, 1, userLines(bytes.parts[1]));
    }
    if (!isWanted()) return undefined;
    if (page !== collection.pages)
      throw new Error(`${page} pages came of ${collection.count} users, not ${collection.pages}`);
    const { totals } = writer;
    return {
      collection,
      digests,
      users: index.finish(),
      totals,
      warnings,
      workers: 0,
      spent: undefined,
    };
  } finally {
    index.close();
  }
}
