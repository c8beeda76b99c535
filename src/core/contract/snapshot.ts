/** The type of snapshot.json. Types only, so that the client can import it. */
import type { Encoding } from "./headers.js";
import type { LinkStyle } from "./links.js";

/** The manifest of a release, snapshot.json. Nothing in it depends on the clock or the machine. */
export interface Snapshot {
  /** 12 hexadecimal digits, derived from the published data. Too short to verify anything: use `state` or SHA256SUMS. */
  id: string;
  /** The version of the contract that every record was checked against. */
  contract: number;
  /** Records in the whole collection. */
  count: number;
  /** Pages of the listing, at least one. */
  pages: number;
  /** Records on each page but the last. */
  page_size: number;
  /** The URL prefix of every link. */
  base_url: string;
  /** The form of its links: `?format=api&page=N`, or `pages/N.json`. */
  links: LinkStyle;
  /** The content codings in which each page has a compressed file. */
  encodings: Encoding[];
  /** Invalid records of the source that were left out. */
  skipped: number;
  /** The SHA-256 of records.sha256. A copy with the same records has the same state. */
  state: string;
  /** The number of records for each kind of warning. */
  warnings: Record<string, number>;
  /** The base URL of the site that the listing belongs to, if it is one of several. */
  site?: string;
}

/** The manifest at the top of a site with several listings. */
export interface SiteSnapshot {
  /** 12 hexadecimal digits, derived from the base URL, and from the names and the data of the listings. */
  id: string;
  base_url: string;
  /** By name, which is also the path below the base URL. */
  listings: Record<string, Pick<Snapshot, "count" | "id" | "pages" | "state">>;
}
