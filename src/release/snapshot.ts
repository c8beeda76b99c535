/** snapshot.json: the manifest of a release, and the id that is made from it. */
import { createHash } from "node:crypto";
import stringify from "fast-json-stable-stringify";
import { z } from "zod";
import { parseAs } from "../contract/json.js";
import { LINK_STYLES, MAX_PAGES, PAGE_SIZE } from "../contract/links.js";
import { encodeSum, type Sums } from "./digests.js";
import { isOfContent } from "./layout.js";

const count = z.int().min(0);

/** The format of snapshot.json. Nothing in it depends on the clock or the machine. */
const snapshotSchema = z.strictObject({
  /** 12 hexadecimal digits, see `snapshotId`. */
  id: z.string().regex(/^[0-9a-f]{12}$/),
  /** The version of the contract that every record was checked against. */
  contract: count.min(1),
  count,
  pages: count.min(1).max(MAX_PAGES),
  page_size: count.min(PAGE_SIZE.min).max(PAGE_SIZE.max),
  base_url: z.string(),
  links: z.enum(LINK_STYLES),
  /** The content codings in which each page has a compressed file. */
  encodings: z.array(z.enum(["br", "gzip"])).refine((list) => new Set(list).size === list.length),
  skipped: count,
  /**
   * Which records there are: the SHA-256 of records.sha256. A copy that holds the same records makes the same. Releases
   * of earlier versions do not say it.
   */
  state: z.optional(z.string().regex(/^[0-9a-f]{64}$/)),
  /** The number of records for each kind of warning. */
  warnings: z.record(z.string(), count),
});

export type Snapshot = z.infer<typeof snapshotSchema>;
export type SnapshotFacts = Omit<Snapshot, "id">;

/**
 * The digest that two releases have in common if their content is the same: the SHA-256 of the lines of SHA256SUMS for
 * the plain pages, in page order, then for every other file except snapshot.json, then of the canonical text of the
 * other facts. Compressed files do not count, because their bytes depend on the version of the compressor, nor do
 * others that `isOfContent` leaves out.
 */
export function contentDigest(facts: SnapshotFacts, { paths, pages, others }: Sums): string {
  const hash = createHash("sha256");
  for (let page = 1; page <= facts.pages; page++) hash.update(encodeSum(pages.get(page, "identity"), paths.path(page)));
  for (const [path, digest] of others) if (isOfContent(path)) hash.update(encodeSum(digest, path));
  return hash.update(stringify(facts)).digest("hex");
}

/** Equal ids do not prove equal content: who controls the records can make two contents with one id. */
export function snapshotId(digest: string): string {
  return digest.slice(0, 12);
}

export function encodeSnapshot(snapshot: Snapshot): string {
  return `${stringify(snapshot)}\n`;
}

export function parseSnapshot(text: string): Snapshot | undefined {
  return parseAs(snapshotSchema, text);
}
