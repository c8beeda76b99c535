/** A deployed listing as a side of a diff: downloaded page by page into a folder. */
import { mkdirSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { USERS_CONTRACT } from "../contract/contract.js";
import { encodePage, encodeUser } from "../contract/page.js";
import { userSchema } from "../contract/user.js";
import { indexed, type ReadEffects, type Side } from "../diff/side.js";
import { UserError } from "../errors.js";
import { PagePaths } from "../release/layout.js";
import type { ListingFacts } from "../remote/listing.js";
import { walk } from "../remote/walk.js";

/** @throws UserError as `walk` does, or when a page holds a user that is not valid. */
export async function openRemoteSide(url: string, scratch: string, { onProgress, signal }: ReadEffects): Promise<Side> {
  const paths = new PagePaths(USERS_CONTRACT.listing.path);
  mkdirSync(join(scratch, paths.folder), { recursive: true });
  let listing: ListingFacts | undefined;
  let users = 0;
  const facts = await walk(url, {
    signal,
    instead: "name a folder with its release instead",
    onStart: (started) => {
      listing = started;
      users = 0;
    },
    onPage: async (page, bytes, body) => {
      await writeFile(join(scratch, paths.path(page)), "frame" in body ? bytes : canonical(url, page, body.results));
      const { count, pageSize = count } = listing ?? { count: 0 };
      users = Math.min(users + pageSize, count);
      onProgress({ records: users, total: count });
    },
  });
  const { count, pages, pageSize = Math.max(1, count), baseUrl, linkBase = baseUrl, links, contract } = facts;
  const side = { name: baseUrl, id: facts.snapshotId, count, pages, pageSize, baseUrl: linkBase, links, contract };
  return indexed(scratch, side, scratch, signal);
}

/** Messages of the schema can be long, because they repeat all unknown keys. */
const LONGEST_REASON = 200;

/** Converts a page that another program wrote to the form that Rollcall writes. The walk has checked the envelope. */
function canonical(url: string, page: number, results: readonly unknown[]): string {
  const records = results.map((record, place) => {
    const { data, error } = userSchema.safeParse(record);
    if (data) return encodeUser(data);
    const { path = [], message = "" } = error.issues[0] ?? {};
    const why = `${path.join(".")} ${message}`.slice(0, LONGEST_REASON);
    throw new UserError(`Page ${page} of ${url} has an invalid user in place ${place + 1}: ${why}.`);
  });
  // Links do not matter here, because only users are compared.
  const place = { baseUrl: url, path: "/", links: "query" } as const;
  return encodePage({ ...place, page: 1, pages: 1, count: records.length }, records).join("");
}
