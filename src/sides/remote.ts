/** A deployed listing as a side of a diff: read by the client for readers, and written into a folder page by page. */
import { mkdirSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import stringify from "fast-json-stable-stringify";
import { ListingError, type ListingErrorCode, SnapshotChangedError } from "../client/errors.js";
import { openListing } from "../client/listing.js";
import type { OpenListing } from "../client/options.js";
import type { AnyRecord } from "../contract/contract.js";
import { readBody } from "../contract/envelope.js";
import { encodePage } from "../contract/page.js";
import { recordCheck } from "../contract/record/schema.js";
import type { Snapshot } from "../contract/snapshot.js";
import type { SideFacts } from "../diff/change.js";
import { indexed, type ReadEffects, type Side } from "../diff/side.js";
import { UserError } from "../errors.js";
import { baseUrlOf, explainListing, readHostContract } from "../hosted.js";
import { EXPLORER, PagePaths } from "../release/layout.js";

/** @throws UserError when the host has no listing, or none that can be proved to be whole, or holds a record that is not valid. */
export async function openHostSide(url: string, scratch: string, { onProgress, signal }: ReadEffects): Promise<Side> {
  const listing = openListing<AnyRecord>(baseUrlOf(url), { unproved: true, signal, pausesMs: PAUSES_MS });
  const { baseUrl } = listing;
  const walk = listing.pages({ restart: true });
  let begun: Begun | undefined;
  try {
    for await (const { number, bytes } of walk) {
      const { snapshot } = walk;
      // Where the listing has moved since, the walk sees it, too, and begins again.
      if (number === 1 && snapshot) begun = await begin(listing, snapshot, scratch).catch(unlessMoved);
      if (!begun) continue;
      await writeFile(begun.pathOf(number), begun.canonical(baseUrl, number, Buffer.from(bytes)));
      const { count, pageSize, contract } = begun.facts;
      onProgress({ records: Math.min(number * pageSize, count), total: count, words: contract.listing.words });
    }
    if (!begun) throw new ListingError("changed", baseUrl, "has moved to another snapshot");
    return await indexed(scratch, begun.facts, scratch, signal);
  } catch (error) {
    throw await explainListing(error, listing, ADVICE);
  }
}

function unlessMoved(error: unknown): undefined {
  if (!(error instanceof SnapshotChangedError)) throw error;
}

type Begun = Awaited<ReturnType<typeof begin>>;

/** What pages of a snapshot become in `scratch`. */
async function begin(listing: OpenListing<AnyRecord>, snapshot: Snapshot, scratch: string) {
  const isProved = listing.proof !== "none";
  const contract = await readHostContract(listing);
  const { id, count, pages, page_size: pageSize, base_url: baseUrl, links } = snapshot;
  const name = isProved ? listing.baseUrl : `${listing.baseUrl} (read without proof, since it has no SHA256SUMS)`;
  const explorer = isProved && (await hasExplorer(listing)) ? `${baseUrl}/` : undefined;
  const facts: SideFacts = {
    ...{ name, id: isProved ? id : undefined, count, pages, pageSize, baseUrl, links, contract },
    explorer,
  };
  const { path } = contract.listing;
  const paths = new PagePaths(path);
  const check = recordCheck(contract);
  mkdirSync(join(scratch, paths.folder), { recursive: true });
  return {
    facts,
    pathOf: (page: number) => join(scratch, paths.path(page)),
    /** Converts a page that another program wrote to the form that Rollcall writes. The walk has checked the envelope. */
    canonical(url: string, page: number, bytes: Buffer): Buffer | string {
      const body = readBody(bytes);
      if ("why" in body) throw new UserError(`Page ${page} of ${url} ${body.why}.`);
      if ("frame" in body) return bytes;
      const records = body.results.map((record, place) => {
        const [flaw] = check(record);
        // Its members may stand in any order.
        if (!flaw) return stringify(record);
        const why = `${flaw.path.join(".")} ${flaw.message}`.slice(0, LONGEST_REASON);
        throw new UserError(
          `Page ${page} of ${url} has an invalid ${contract.listing.words[0]} in place ${place + 1}: ${why}.`,
        );
      });
      // Links do not matter here, because only records are compared.
      const place = { baseUrl, path, links: "query" as const, page: 1, pages: 1, count: records.length };
      return encodePage(place, records).join("");
    },
  };
}

/** Whether SHA256SUMS lists an explorer; the host may answer with other bytes. */
async function hasExplorer(listing: OpenListing<AnyRecord>): Promise<boolean> {
  try {
    await listing.file(EXPLORER);
    return true;
  } catch (error) {
    if (error instanceof ListingError && error.code !== "changed") return error.code !== "usage";
    throw error;
  }
}

/** Messages of the schema can be long, because they repeat all unknown keys. */
const LONGEST_REASON = 200;

/** A person waits, and the host may not exist, so there are fewer retries than in the client. */
const PAUSES_MS = [250, 1000];

const ADVICE: Readonly<Partial<Record<ListingErrorCode, string>>> = {
  busy: "Try again later, or name a folder with its release instead.",
  changed: "Try again when nothing is being deployed; if that does not help, its servers have different releases.",
  mismatch: 'See what the host serves wrongly with "rollcall verify".',
};
