/** snapshot.json: what a release says of itself, and the id that is made from it. */
import { createHash } from "node:crypto";
import stringify from "fast-json-stable-stringify";
import { z } from "zod";
import { parseJson } from "../contract/json.js";
import { LINK_STYLES, MAX_PAGES, PAGE_SIZE } from "../contract/links.js";
import { encodeSum, type Sums } from "./digests.js";
import { pagePath, SNAPSHOT } from "./layout.js";

const count = z.int().min(0);

/** snapshot.json in full. Nothing in it depends on the clock or the machine. */
const snapshotSchema = z.strictObject({
  /** 12 hexadecimal digits, see `snapshotId`. */
  id: z.string().regex(/^[0-9a-f]{12}$/),
  /** The version of the contract that every user was checked against. */
  contract: count.min(1),
  /** Users in the collection. */
  count,
  pages: count.min(1).max(MAX_PAGES),
  page_size: count.min(PAGE_SIZE.min).max(PAGE_SIZE.max),
  base_url: z.string(),
  links: z.enum(LINK_STYLES),
  /** Content codings that each page has a file in beside the plain one. */
  encodings: z.array(z.enum(["br", "gzip"])).refine((list) => new Set(list).size === list.length),
  /** Invalid users that were left out on request. */
  skipped: count,
  /** Kind of warning -> users it applies to. */
  warnings: z.record(z.string(), count),
});

export type Snapshot = z.infer<typeof snapshotSchema>;
export type SnapshotFacts = Omit<Snapshot, "id">;

/**
 * What tells whether two releases have the same content: the SHA-256 over the lines of SHA256SUMS for the plain pages,
 * in page order, and for every other file but snapshot.json, and the canonical text of all other facts. Compressed
 * files do not count, since their bytes depend on the version of the compressor.
 */
export function contentDigest(facts: SnapshotFacts, { pages, others }: Sums): string {
  const hash = createHash("sha256");
  for (let page = 1; page <= facts.pages; page++) hash.update(encodeSum(pages.get(page, "identity"), pagePath(page)));
  for (const [path, digest] of others) if (path !== SNAPSHOT) hash.update(encodeSum(digest, path));
  return hash.update(stringify(facts)).digest("hex");
}

/**
 * The id: the first 12 hexadecimal digits of the content's digest. It names a release and proves nothing: who can
 * choose what users say of themselves can make two contents of one id, so ids that are equal are never enough.
 */
export function snapshotId(digest: string): string {
  return digest.slice(0, 12);
}

/** The bytes of snapshot.json. */
export function encodeSnapshot(snapshot: Snapshot): string {
  return `${stringify(snapshot)}\n`;
}

/** Reads snapshot.json; undefined when it is not of the form that `encodeSnapshot` writes. */
export function parseSnapshot(text: string): Snapshot | undefined {
  const read = parseJson(text);
  return "why" in read ? undefined : snapshotSchema.safeParse(read.value).data;
}
