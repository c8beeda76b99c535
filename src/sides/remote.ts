/** A deployed listing as a side of a diff: downloaded page by page into a folder. */
import { mkdirSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import stringify from "fast-json-stable-stringify";
import { encodePage } from "../contract/page.js";
import { recordCheck } from "../contract/record/schema.js";
import { indexed, type ReadEffects, type Side } from "../diff/side.js";
import { UserError } from "../errors.js";
import { PagePaths } from "../release/layout.js";
import type { ListingFacts } from "../remote/listing.js";
import { walk } from "../remote/walk.js";

/** @throws UserError as `walk` does, or when a page holds a record that is not valid. */
export async function openRemoteSide(url: string, scratch: string, { onProgress, signal }: ReadEffects): Promise<Side> {
  let listing: Started | undefined;
  let records = 0;
  const facts = await walk(url, {
    signal,
    instead: "name a folder with its release instead",
    onStart: (started) => {
      listing = startOn(started, scratch);
      records = 0;
    },
    onPage: async (page, bytes, body) => {
      if (!listing) throw new Error("A page came before the listing");
      await writeFile(listing.pathOf(page), "frame" in body ? bytes : listing.canonical(url, page, body.results));
      const { count, pageSize = count } = listing.facts;
      records = Math.min(records + pageSize, count);
      onProgress({ records, total: count });
    },
  });
  const { count, pages, pageSize = Math.max(1, count), baseUrl, linkBase = baseUrl, links, contract } = facts;
  const side = { name: baseUrl, id: facts.snapshotId, count, pages, pageSize, baseUrl: linkBase, links, contract };
  return indexed(scratch, side, scratch, signal);
}

type Started = ReturnType<typeof startOn>;

/** What pages of a listing become in `scratch`. It is made anew when the host switches, maybe to another contract. */
function startOn(facts: ListingFacts, scratch: string) {
  const { contract, path } = facts;
  const paths = new PagePaths(path);
  const check = recordCheck(contract);
  mkdirSync(join(scratch, paths.folder), { recursive: true });
  return {
    facts,
    pathOf: (page: number) => join(scratch, paths.path(page)),
    /** Converts a page that another program wrote to the form that Rollcall writes. The walk has checked the envelope. */
    canonical(url: string, page: number, results: readonly unknown[]): string {
      const records = results.map((record, place) => {
        const [flaw] = check(record);
        // Its members may stand in any order.
        if (!flaw) return stringify(record);
        const why = `${flaw.path.join(".")} ${flaw.message}`.slice(0, LONGEST_REASON);
        throw new UserError(
          `Page ${page} of ${url} has an invalid ${contract.listing.words[0]} in place ${place + 1}: ${why}.`,
        );
      });
      // Links do not matter here, because only records are compared.
      return encodePage({ ...facts, links: "query", page: 1, pages: 1, count: records.length }, records).join("");
    },
  };
}

/** Messages of the schema can be long, because they repeat all unknown keys. */
const LONGEST_REASON = 200;
