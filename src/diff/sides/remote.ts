/** A deployed listing as a side of a diff: read by the client, and written to a folder page by page. */
import { mkdirSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import stringify from "fast-json-stable-stringify";
import { ListingError, type ListingErrorCode, NOT_LISTED, SnapshotChangedError } from "../../client/errors.js";
import { explainListing, readPublishedContract } from "../../client/explain.js";
import { openListing } from "../../client/listing.js";
import type { OpenListing } from "../../client/options.js";
import { createRequests, requireOk } from "../../client/requests.js";
import type { SideFacts } from "../../core/compare/change.js";
import { indexed, type ReadEffects, type Side } from "../../core/compare/side.js";
import { parseBaseUrl } from "../../core/contract/base-url.js";
import type { AnyRecord } from "../../core/contract/contract.js";
import { readBody } from "../../core/contract/envelope.js";
import { encodePage } from "../../core/contract/page.js";
import { recordCheck } from "../../core/contract/record/schema.js";
import type { SiteSnapshot, Snapshot } from "../../core/contract/snapshot.js";
import { UserError } from "../../core/errors.js";
import { EXPLORER, explorerPath, PagePaths, SNAPSHOT, SUMS } from "../../core/release/layout.js";
import { sha256 } from "../../core/release/plain-files.js";
import { parseSiteSnapshot } from "../../core/release/site.js";
import { encodeSum } from "../../core/release/sums.js";

/** Maximum bytes of the files at the top of a site that are read. */
const MOST_AT_TOP = 4_000_000;

/**
 * Reads the snapshot.json of a site of several listings from a host, and compares it with SHA256SUMS.
 * @returns undefined if there is none: whatever opens a listing there reports what is wrong with it.
 * @throws UserError if it cannot be read, or does not match its digest; the signal's reason
 */
export async function findHostSite(
  baseUrl: string,
  signal: AbortSignal | undefined,
): Promise<SiteSnapshot | undefined> {
  const { get, retry } = createRequests({ pausesMs: PAUSES_MS });
  const read = async (name: string) => {
    const url = `${baseUrl}/${name}`;
    const { status, bytes } = await get(url, { maxBytes: MOST_AT_TOP, signal });
    if (status < 400 || status > 499) requireOk(url, status);
    return String(Buffer.from(bytes));
  };
  try {
    return await retry(signal, async () => {
      const text = await read(SNAPSHOT);
      const site = parseSiteSnapshot(text);
      const digest = sha256(text);
      if (!site || (await read(SUMS)).includes(encodeSum(digest, SNAPSHOT))) return site;
      throw new ListingError("mismatch", `${baseUrl}/${SNAPSHOT}`, NOT_LISTED);
    });
  } catch (error) {
    throw explainListing(error, { baseUrl }, ADVICE);
  }
}

/** Opens a deployed listing as a side. @throws UserError if the host has no listing, a page cannot be verified, or a record is invalid. */
export async function openHostSide(url: string, scratch: string, { onProgress, signal }: ReadEffects): Promise<Side> {
  const listing = openListing<AnyRecord>(parseBaseUrl(url), { unproved: true, signal, pausesMs: PAUSES_MS });
  const { baseUrl } = listing;
  const walk = listing.pages({ restart: true });
  let target: Target | undefined;
  try {
    for await (const { number, bytes } of walk) {
      const { snapshot } = walk;
      // If the listing has changed since, the walk notices, too, and begins again.
      if (number === 1 && snapshot) target = await begin(listing, snapshot, scratch).catch(unlessChanged);
      if (!target) continue;
      await writeFile(target.pathOf(number), target.canonical(baseUrl, number, Buffer.from(bytes)));
      const { count, pageSize, contract } = target.facts;
      onProgress({ records: Math.min(number * pageSize, count), total: count, words: contract.listing.words });
    }
    if (!target) throw new ListingError("changed", baseUrl, "has changed to another snapshot");
    return await indexed(scratch, target.facts, scratch, signal);
  } catch (error) {
    throw explainListing(error, listing, ADVICE);
  }
}

function unlessChanged(error: unknown): undefined {
  if (!(error instanceof SnapshotChangedError)) throw error;
}

type Target = Awaited<ReturnType<typeof begin>>;

/** Prepares `scratch` for the pages of a snapshot. */
async function begin(listing: OpenListing<AnyRecord>, snapshot: Snapshot, scratch: string) {
  const isProved = listing.proof !== "none";
  const contract = await readPublishedContract(listing);
  const { id, count, pages, page_size: pageSize, base_url: baseUrl, links } = snapshot;
  const name = isProved ? listing.baseUrl : `${listing.baseUrl} (not verified, since it has no SHA256SUMS)`;
  const { path } = contract.listing;
  const explorer = isProved && (await hasExplorer(listing)) ? baseUrl + explorerPath(path) : undefined;
  const facts: SideFacts = {
    name,
    id: isProved ? id : undefined,
    count,
    pages,
    pageSize,
    baseUrl,
    links,
    contract,
    explorer,
  };
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
        // Its members may be in any order.
        if (!flaw) return stringify(record);
        const why = `${flaw.path.join(".")} ${flaw.message}`.slice(0, LONGEST_REASON);
        throw new UserError(
          `Page ${page} of ${url} has an invalid ${contract.listing.words[0]} at position ${place + 1}: ${why}.`,
        );
      });
      // Links do not matter here, because only records are compared.
      const place = { baseUrl, path, links: "query" as const, page: 1, pages: 1, count: records.length };
      return encodePage(place, records).join("");
    },
  };
}

/** Whether SHA256SUMS lists an explorer, even if the host serves other bytes of it. */
async function hasExplorer(listing: OpenListing<AnyRecord>): Promise<boolean> {
  try {
    await listing.file(EXPLORER);
    return true;
  } catch (error) {
    if (error instanceof ListingError && error.code !== "changed") return error.code !== "usage";
    throw error;
  }
}

/** Maximum characters of a schema's message, which may repeat many unknown keys. */
const LONGEST_REASON = 200;

/** Milliseconds before each retry: fewer than in the client, since a person waits. */
const PAUSES_MS = [250, 1000];

const ADVICE: Readonly<Partial<Record<ListingErrorCode, string>>> = {
  busy: "Try again later, or compare a folder with its release instead.",
  changed: "Try again when nothing is being deployed; if that does not help, its servers have different releases.",
  mismatch: 'Run "rollcall verify" to see what the host serves wrongly.',
};
