/** Takes the digests of pages while they are written, in any order. */
import { type DigestBytes, PageDigests, type PageSums } from "../release/digests.js";
import { PagePaths } from "../release/layout.js";
import { SumsWriter } from "../release/sums/writer.js";
import { pagesOf } from "../shards/cut.js";
import type { Destination, Task } from "./page-writer.js";

/** To be closed in a `finally`. Pages are counted from the first that is written. */
export interface DigestsWriter {
  add(first: number, count: number, digests: DigestBytes): void;
  finish(): PageSums;
  close(): void;
}

/** Into SHA256SUMS. Those of a part are in memory, since they are handed over in a file of their own. */
export function digestsFor(
  { folder, encodings, isPart }: Destination,
  { collection, range }: Pick<Task, "collection" | "range">,
): DigestsWriter {
  const variants = ["identity", ...encodings] as const;
  if (!isPart) return new SumsWriter(folder, new PagePaths(collection.path), collection.pages, variants);
  const digests = new PageDigests(pagesOf(range), variants);
  return { add: (first, _count, some) => digests.fill(first, some), finish: () => digests, close() {} };
}
