/** The checks of a release on disk, in the order of the report. */
import { count } from "../../core/print/numbers.js";
import {
  BULK,
  CHANGES,
  CSV,
  DATA_PACKAGE,
  EXPLORER,
  FEED,
  isViewIndex,
  LABELS,
  PARQUET,
  RECORDS,
  VIEWS,
} from "../../core/release/layout.js";
import type { Release } from "../../core/release/open.js";
import { SIGNATURE_ROW } from "../signature.js";
import { checkRow, type Findings, type Row } from "../verdict.js";

/** The checks of single files that are made of all records, or that describe such files. */
const SINGLE: Partial<Record<string, string>> = {
  [RECORDS]: "record-list",
  [CSV]: "csv",
  [PARQUET]: "parquet",
  [DATA_PACKAGE]: "data-package",
  [FEED]: "feed",
  [EXPLORER]: "explorer",
  [LABELS]: "explorer",
};

/** The check of a file that is made of all records, or that describes such files; undefined for any other file. */
export function groupOf(path: string): string | undefined {
  return SINGLE[path] ?? /^(?:bulk|changes|explorer|lookup|views)(?=\/|\.json$)/.exec(path)?.[0];
}

/** Name of a check -> reason. */
export type Reasons = Partial<Record<string, string | undefined>>;

/** The check of the feed, of a plain release or at the top of a site. */
export const FEED_ROW = {
  name: "feed",
  rule: "feed.xml has at most 20 entries, newest first, and the newest is about these records",
} as const;

/** A check: its name, its rule, and what is checked: what is counted, the word for each file of its group, or a text. */
const CHECKS: readonly (readonly [name: string, rule: string, what: string])[] = [
  ["sums", "SHA256SUMS has one line for every other file", "SHA256SUMS"],
  ["files", "all listed files exist, are regular, and there are no others", "files"],
  ["digests", "every file has the SHA-256 that SHA256SUMS lists", "files"],
  [SIGNATURE_ROW.name, SIGNATURE_ROW.rule, "signature"],
  ["snapshot", "snapshot.json matches the release, and its id is made from the content", "snapshot.json"],
  ["contract", "contract.json is a valid contract", "contract.json"],
  ["pages", "every page is an envelope with sorted keys, one record a line", "pages"],
  ["records", "every record is valid by the contract", "records"],
  ["canonical", "every record is canonical JSON", "records"],
  ["order", "records are in the contract's order across all pages", "records"],
  ["unique-keys", "no two records have the same key", "records"],
  ["count", "count is the number of records, on every page", "pages"],
  ["page-size", "every page but the last is full, and the last has the rest", "pages"],
  ["links", "next and previous chain every page from the first to the last and back", "pages"],
  ["compressed", "every compressed page decompresses to the plain one", "codings"],
  ["record-list", "records.sha256 has the digest and key of every record, in published order", "records"],
  ["bulk", "the parts of bulk.json hold exactly the records of the pages, in order", "part"],
  ["csv", "records.csv.gz holds exactly the records of the pages, in order", "file"],
  ["parquet", "records.parquet holds exactly the values of the pages' records, in order", "file"],
  ["data-package", "datapackage.json describes the columns and the bytes of the files with all records", "file"],
  ["changes", "each step of changes.json is intact, and its lines are valid", "step"],
  [FEED_ROW.name, FEED_ROW.rule, FEED],
  ["lookup", "the files in lookup match the keys and names of all records", "file"],
  ["explorer", "explorer/summary.json, its sorted files and labels.json match all records", "file"],
  ["views", "each view has exactly the records of the listing, by its values and order", "view"],
  ["readable", "other users, such as a web server's, can read every file", "files"],
];

export const DISK_ROWS = CHECKS.map(([name, rule]) => ({ name, rule }));

/** Whether a file of a group is counted. Lists are not, and of a view, the digests are. */
function isCounted(path: string): boolean {
  return path !== BULK && path !== CHANGES && path !== VIEWS && !isViewIndex(path);
}

/** The rows of the report. @param seen what was counted. @param readable a note for the check `readable` */
export function toRows(
  { snapshot, contract, sums }: Release,
  seen: { files: number; records: number; signature: string },
  skipped: Reasons,
  readable: string | undefined,
  findings: Findings,
): Row[] {
  const counted: Record<string, string> = {
    files: count(seen.files, "file"),
    pages: count(snapshot.pages, "page"),
    records: count(seen.records, contract.listing.words),
    signature: seen.signature,
    codings: snapshot.encodings.join(", ") || "none",
  };
  return CHECKS.map(([name, rule, what]) => {
    const own = [...sums.others.keys()].filter((path) => groupOf(path) === name && isCounted(path));
    const request = counted[what] ?? (what.includes(".") || name === "sums" ? what : count(own.length, what));
    const note = name === "readable" ? readable : undefined;
    return checkRow(findings, { name, rule }, request, { skipped: skipped[name], note });
  });
}

/** The rows of a release that was not looked at, but for what is known to differ. @param skipped the reason for the others */
export function skippedRows(skipped: string, findings: Findings): Row[] {
  return DISK_ROWS.map((check) => checkRow(findings, check, "", { skipped }));
}
