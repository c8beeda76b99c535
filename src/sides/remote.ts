/** A side of a diff that is a deployed listing: walked page by page into a folder. */
import { mkdirSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { readFrame, readResults } from "../contract/envelope.js";
import { encodePage, encodeUser } from "../contract/page.js";
import { userSchema } from "../contract/user.js";
import { indexed } from "../diff/release-side.js";
import type { Side } from "../diff/side.js";
import { UserError } from "../errors.js";
import { PAGES, pagePath } from "../release/layout.js";
import type { ListingFacts } from "../remote/listing.js";
import { walk } from "../remote/walk.js";

import type { Watch } from "./progress.js";

/**
 * Downloads all pages of the listing below a base URL into `scratch`, at most 8 at once.
 * @throws UserError as `walk` does, or when a page holds a user that is not valid.
 */
export async function openRemoteSide(url: string, scratch: string, { onProgress, signal }: Watch): Promise<Side> {
  mkdirSync(join(scratch, PAGES), { recursive: true });
  let listing: ListingFacts | undefined;
  let users = 0;
  const facts = await walk(url, {
    signal,
    instead: "name a folder with its release instead",
    onStart: (started) => {
      listing = started;
      users = 0;
    },
    onPage: async (page, bytes) => {
      await writeFile(join(scratch, pagePath(page)), readFrame(bytes) ? bytes : canonical(url, page, bytes));
      const { count, pageSize = count } = listing ?? { count: 0 };
      users = Math.min(users + pageSize, count);
      onProgress({ users, total: count });
    },
  });
  const { count, pages, pageSize = Math.max(1, count), baseUrl, linkBase = baseUrl, links } = facts;
  const name = facts.baseUrl;
  const side = { name, id: facts.snapshotId, count, pages, pageSize, baseUrl: linkBase, links };
  return indexed(scratch, side, scratch, signal);
}

/** The schema's messages repeat all keys that it does not know. */
const LONGEST_REASON = 200;

/** A page that another program wrote, in the form that Rollcall writes: the walk has seen that it is one. */
function canonical(url: string, page: number, bytes: Buffer): string {
  const records = readResults(bytes).map((record, place) => {
    const { data, error } = userSchema.safeParse(record);
    if (data) return encodeUser(data);
    const { path = [], message = "" } = error.issues[0] ?? {};
    const why = `${path.join(".")} ${message}`.slice(0, LONGEST_REASON);
    throw new UserError(`Page ${page} of ${url} holds no valid user in place ${place + 1}: ${why}.`);
  });
  // Only users are compared: where the links lead was told before.
  return encodePage({ page: 1, pages: 1, count: records.length, baseUrl: url, links: "query" }, records).join("");
}
