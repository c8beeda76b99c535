/** The checks of a release on disk, in the order of the report. */
import { count } from "../../print/numbers.js";
import {
  BULK,
  BULK_FOLDER,
  CHANGES,
  CHANGES_FOLDER,
  CONTRACT,
  CSV,
  EXPLORER,
  EXPLORER_FOLDER,
  LOOKUP_FOLDER,
  RECORDS,
  SNAPSHOT,
  SUMMARY,
  SUMS,
} from "../../release/layout.js";
import type { Release } from "../../release/open.js";
import { SIGNATURE_ROW } from "../signature.js";
import { checkRow, type Findings, type Row } from "../verdict.js";

/** The checks of files that are made of all records, by the first part of a path. */
const GROUPS: ReadonlyMap<string, string> = new Map([
  [RECORDS, "record-list"],
  [CSV, "csv"],
  [BULK, "bulk"],
  [BULK_FOLDER, "bulk"],
  [CHANGES, "changes"],
  [CHANGES_FOLDER, "changes"],
  [EXPLORER, "explorer"],
  [EXPLORER_FOLDER, "explorer"],
  [LOOKUP_FOLDER, "lookup"],
]);

/** The check of a file that is made of all records; undefined for any other file. */
export function groupOf(path: string): string | undefined {
  return GROUPS.get(path.split("/", 1).join());
}

/** Name of a check -> reason. */
export type Reasons = Partial<Record<string, string | undefined>>;

/** What was checked, for the rows of the report. */
export interface Seen {
  release: Release;
  files: number;
  records: number;
  /** The cell of the signature. */
  signature: string;
}

interface Check {
  name: string;
  rule: string;
  /** What was checked: `21 pages`. */
  request(seen: Seen): string;
}

const pages = ({ release }: Seen) => count(release.snapshot.pages, "page");
const files = (seen: Seen) => count(seen.files, "file");
const records = (seen: Seen) => count(seen.records, seen.release.contract.listing.words);

/** Makes the function that counts the files of a check. */
function filesOf(check: string, what: string) {
  return ({ release: { sums } }: Seen) => {
    const paths = [...sums.others.keys()].filter((path) => groupOf(path) === check);
    return count(paths.filter((path) => ![BULK, CHANGES].includes(path)).length, what);
  };
}

/** The checks of a release on disk. */
export const DISK_ROWS: readonly Check[] = [
  { name: "sums", rule: `${SUMS} has one line for every other file`, request: () => SUMS },
  { name: "files", rule: "all listed files exist, are regular, and there are no others", request: files },
  { name: "digests", rule: `every file has the SHA-256 that ${SUMS} lists`, request: files },
  { ...SIGNATURE_ROW, request: ({ signature }) => signature },
  {
    name: "snapshot",
    rule: `${SNAPSHOT} matches the release, and its id is made from the content`,
    request: () => SNAPSHOT,
  },
  { name: "contract", rule: `${CONTRACT} is a valid contract`, request: () => CONTRACT },
  { name: "pages", rule: "every page is an envelope with sorted keys, one record a line", request: pages },
  { name: "records", rule: "every record is valid by the contract", request: records },
  { name: "canonical", rule: "every record is canonical JSON", request: records },
  { name: "order", rule: "records are in the contract's order across all pages", request: records },
  { name: "unique-keys", rule: "no two records have the same key", request: records },
  { name: "count", rule: "count is the number of records, on every page", request: pages },
  { name: "page-size", rule: "every page but the last is full, and the last has the rest", request: pages },
  { name: "links", rule: "next and previous chain every page from the first to the last and back", request: pages },
  {
    name: "compressed",
    rule: "every compressed page decompresses to the plain one",
    request: ({ release }) => release.snapshot.encodings.join(", ") || "none",
  },
  {
    name: "record-list",
    rule: `${RECORDS} has the digest and key of every record, in published order`,
    request: records,
  },
  {
    name: "bulk",
    rule: `the parts of ${BULK} hold exactly the records of the pages, in order`,
    request: filesOf("bulk", "part"),
  },
  { name: "csv", rule: `${CSV} holds exactly the records of the pages, in order`, request: filesOf("csv", "file") },
  {
    name: "changes",
    rule: `each step of ${CHANGES} is intact, and its lines are valid`,
    request: filesOf("changes", "step"),
  },
  {
    name: "lookup",
    rule: `the files in ${LOOKUP_FOLDER} match the keys and names of all records`,
    request: filesOf("lookup", "file"),
  },
  { name: "explorer", rule: `${SUMMARY} and its sorted files match all records`, request: filesOf("explorer", "file") },
  { name: "readable", rule: "other users, such as a web server's, can read every file", request: files },
];

/** The rows of the report. @param readable a note for the check `readable` */
export function toRows(seen: Seen, skipped: Reasons, readable: string | undefined, findings: Findings): Row[] {
  return DISK_ROWS.map((check) => {
    const { name, request } = check;
    const note = name === "readable" ? readable : undefined;
    return checkRow(findings, check, request(seen), { skipped: skipped[name], note });
  });
}

/** The rows of a release that was not looked at, but for what is known to differ. @param skipped the reason for the others */
export function skippedRows(skipped: string, findings: Findings): Row[] {
  return DISK_ROWS.map((check) => checkRow(findings, check, "", { skipped }));
}
