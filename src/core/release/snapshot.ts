/** snapshot.json, the manifest of a release, and the id of a release. */
import { createHash } from "node:crypto";
import stringify from "fast-json-stable-stringify";
import * as z from "zod";
import { parseAs } from "../contract/json.js";
import { LINK_STYLES, MAX_PAGES, PAGE_SIZE } from "../contract/links.js";
import type { Snapshot } from "../contract/snapshot.js";
import { isInId } from "./layout.js";
import { encodeSum, type Sums } from "./sums.js";

const count = z.int().min(0);

/** The form of the members of snapshot.json. */
export const SNAPSHOT_MEMBERS = {
  id: z
    .string()
    .regex(/^[0-9a-f]{12}$/)
    .describe("The id of the snapshot. It is too short to verify data by."),
  contract: count.min(1).describe("The contract's version."),
  count: count.describe("Number of records."),
  pages: count.min(1).max(MAX_PAGES).describe("Number of pages."),
  page_size: count.min(PAGE_SIZE.min).max(PAGE_SIZE.max).describe("Records on each page but the last."),
  base_url: z.string().describe("The URL prefix of every link."),
  links: z.enum(LINK_STYLES).describe("The form of `next` and `previous`."),
  encodings: z
    .array(z.enum(["br", "gzip"]))
    .refine((list) => new Set(list).size === list.length)
    .describe("Content codings of the compressed pages."),
  skipped: count.describe("Number of invalid records that were left out."),
  state: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .describe("The SHA-256 of records.sha256, the list of digests and keys. It identifies the set of records."),
  warnings: z.record(z.string(), count).describe("Number of records with each warning."),
} as const;

/** The form of the snapshot.json of a plain release. openapi.json shows its descriptions. */
export const plainSnapshotSchema = z.strictObject(SNAPSHOT_MEMBERS);

/** The form of snapshot.json, also of a listing in a site. */
export const snapshotSchema: z.ZodType<Snapshot> = plainSnapshotSchema.extend({
  site: z.exactOptional(z.string()).describe("The base URL of the site that the listing belongs to."),
});

export type SnapshotFacts = Omit<Snapshot, "id">;

/**
 * The digest of a release's content: the SHA-256 of the lines of SHA256SUMS for the plain pages, in page order, for the
 * contract and for records.sha256, then of the canonical text of the other facts of snapshot.json. See `isInId`.
 */
export function contentDigest(facts: SnapshotFacts, { paths, pages, others }: Sums): string {
  const hash = createHash("sha256");
  for (let page = 1; page <= pages.pages; page++)
    hash.update(encodeSum(pages.get(page, "identity") ?? "", paths.path(page)));
  for (const [path, digest] of others) if (isInId(path)) hash.update(encodeSum(digest, path));
  return hash.update(stringify(facts)).digest("hex");
}

/** The id: the first 12 digits. Equal ids do not prove equal content: an attacker who controls the records can make collisions. */
export function snapshotId(digest: string): string {
  return digest.slice(0, 12);
}

/** The text of snapshot.json. */
export function encodeSnapshot(snapshot: Snapshot): string {
  return `${stringify(snapshot)}\n`;
}

/** Reads snapshot.json; undefined if it does not have exactly the form that `encodeSnapshot` writes. */
export function parseSnapshot(text: string): Snapshot | undefined {
  return parseAs(snapshotSchema, text);
}
