/** What is to be written, by settings: which pages, where, and what besides. */
import { pagesTogether } from "../bulk/members.js";
import { pagesFor } from "../contract/links.js";
import type { Release } from "../release/open.js";
import { cutPages, type Shard, WHOLE } from "../shards/cut.js";
import type { BuildSettings } from "./options.js";
import type { Destination, Task } from "./page-writer.js";

/** @param count of all records. */
export function taskOf(settings: BuildSettings, count: number, shard: Shard): Task {
  const { contract, pageSize, baseUrl, links, bulk } = settings;
  const pages = pagesFor(count, pageSize);
  // Pages that are compressed together are not parted, so that every shard makes the same members.
  const range = cutPages(pages, shard, bulk ? pagesTogether(pageSize) : 1);
  return { collection: { count, pages, pageSize, baseUrl, path: contract.listing.path, links }, range };
}

/** @param previous the release to link unchanged files from. */
export function destinationOf(
  { contract, encodings, bulk, lookup, explorer, files }: BuildSettings,
  { folder }: { folder: string },
  { previous, shard }: { previous: Release | undefined; shard: Shard },
): Destination {
  const wanted = { encodings, bulk, lookup, explorer: explorer ? files : undefined };
  return { folder, contract: contract.file, previous: previous?.folder, isPart: shard !== WHOLE, ...wanted };
}

/** What gathers for the lookup, with much code of its own: most builds need none of it. */
export async function loadGathering({ lookup }: Destination) {
  return lookup ? import("./gather.js") : undefined;
}
