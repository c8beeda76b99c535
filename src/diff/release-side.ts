/** A whole release as a side of a diff. */
import { join } from "node:path";
import { USERS } from "../release/layout.js";
import type { Release } from "../release/open.js";
import type { SideFacts } from "./change.js";
import { indexPages } from "./index-pages.js";
import type { Side } from "./side.js";

/** @param scratch a folder of the caller's, for an index where the release has none. */
export async function openReleaseSide(
  release: Release,
  name: string,
  scratch: string,
  signal?: AbortSignal,
): Promise<Side> {
  const { folder, snapshot, sums } = release;
  const facts: SideFacts = {
    name,
    id: snapshot.id,
    count: snapshot.count,
    pages: snapshot.pages,
    pageSize: snapshot.page_size,
    baseUrl: snapshot.base_url,
    links: snapshot.links,
  };
  const digest = sums.others.get(USERS);
  // Releases of earlier versions have none.
  if (digest === undefined) return indexed(folder, facts, scratch, signal);
  return { facts, folder, index: join(folder, USERS), digest };
}

/** Gives pages an index of their users, made from them. */
export async function indexed(folder: string, facts: SideFacts, scratch: string, signal?: AbortSignal): Promise<Side> {
  await indexPages(folder, facts, scratch, signal);
  return { facts, folder, index: join(scratch, USERS), digest: undefined };
}
