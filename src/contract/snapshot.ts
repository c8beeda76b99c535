/** What snapshot.json says, for those who write it and those who read it anywhere: types alone. */
import type { Encoding } from "./headers.js";
import type { LinkStyle } from "./links.js";

/** The manifest of a release, snapshot.json. Nothing in it depends on the clock or the machine. */
export interface Snapshot {
  /** 12 hexadecimal digits: a name, made from all that was published. It is too short to prove anything. */
  id: string;
  /** The version of the contract that every record was checked against. */
  contract: number;
  /** Records in the whole collection. */
  count: number;
  /** Pages of the listing, at least one. */
  pages: number;
  /** Records on each page but the last. */
  page_size: number;
  /** Where the listing is published: the beginning of every link. */
  base_url: string;
  /** The form of its links: `?format=api&page=N`, or `pages/N.json`. */
  links: LinkStyle;
  /** The content codings in which each page has a compressed file. */
  encodings: Encoding[];
  /** Records of the source that were left out, because they were invalid. */
  skipped: number;
  /** Which records there are: the SHA-256 of records.sha256. A copy that holds the same records makes the same. */
  state: string;
  /** The number of records for each kind of warning. */
  warnings: Record<string, number>;
}
