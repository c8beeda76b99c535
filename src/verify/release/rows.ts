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
  SUMS,
} from "../../release/layout.js";
import type { Release } from "../../release/open.js";
import { lookupRules, NO_WORDING, recordRules, type Wording, wordingOf } from "../rules.js";
import { SIGNATURE_ROW } from "../signature.js";
import { allowedRow, type Findings, type Row } from "../verdict.js";

/** The checks of files that are made of all records, by the first part of a path. */
const GROUPS: ReadonlyMap<string, string> = new Map([
  [RECORDS, "record-list"],
  [CSV, "csv"],
  ...[BULK, BULK_FOLDER].map((name) => [name, "bulk"] as const),
  ...[CHANGES, CHANGES_FOLDER].map((name) => [name, "changes"] as const),
  ...[EXPLORER, EXPLORER_FOLDER].map((name) => [name, "explorer"] as const),
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

/** A name, a rule, and what was checked. */
type Check = readonly [name: string, rule: string, request: (seen: Seen) => string];

/** The checks in the words of a contract. */
export function checksOf(wording: Wording) {
  const { one, many, key } = wording;
  const rules = { ...recordRules(wording), ...lookupRules(wording) };
  const pages = ({ release }: Seen) => count(release.snapshot.pages, "page");
  const files = (seen: Seen) => count(seen.files, "file");
  const records = (seen: Seen) => count(seen.records, [one, many]);
  const variants = ({ release }: Seen) => release.snapshot.encodings.join(", ") || "none";
  const filesOf =
    (check: string, what: string) =>
    ({ release: { sums } }: Seen) => {
      const paths = [...sums.others.keys()].filter((path) => groupOf(path) === check);
      return count(paths.filter((path) => ![BULK, CHANGES].includes(path)).length, what);
    };
  const checks: readonly Check[] = [
    ["sums", `${SUMS} has one line for every other file`, () => SUMS],
    ["files", "all listed files exist, are regular, and there are no others", files],
    ["digests", `every file has the SHA-256 that ${SUMS} lists`, files],
    [SIGNATURE_ROW.name, SIGNATURE_ROW.rule, ({ signature }) => signature],
    ["snapshot", `${SNAPSHOT} matches the release, and its id is made from the content`, () => SNAPSHOT],
    ["contract", `${CONTRACT} is a valid contract`, () => CONTRACT],
    ["pages", "every page is an envelope with sorted keys, one record a line", pages],
    ["records", rules.records, records],
    ["canonical", "every record is canonical JSON", records],
    ["order", rules.order, records],
    ["unique-keys", rules.uniqueKeys, records],
    ["count", rules.count, pages],
    ["page-size", rules.pageSize, pages],
    ["links", rules.links, pages],
    ["compressed", "every compressed page decompresses to the plain one", variants],
    ["record-list", `${RECORDS} has the digest and ${key} of every ${one}, in published order`, records],
    ["bulk", `the parts of ${BULK} hold exactly the ${many} of the pages, in order`, filesOf("bulk", "part")],
    ["csv", `${CSV} holds exactly the ${many} of the pages, in order`, filesOf("csv", "file")],
    ["changes", `each step of ${CHANGES} is intact, and its lines are valid`, filesOf("changes", "step")],
    ["lookup", rules.lookup, filesOf("lookup", "file")],
    ["explorer", rules.explorer, filesOf("explorer", "file")],
    ["readable", "other users, such as a web server's, can read every file", files],
  ];
  return checks.map(([name, rule, request]) => ({ name, rule, request }));
}

type Allowed = ReadonlyMap<string, string | undefined> | undefined;

/** The rows of the report. @param readable a note for the check `readable`. @param allowed checks that may differ -> reason, if any */
export function toRows(
  seen: Seen,
  skipped: Reasons,
  readable: string | undefined,
  findings: Findings,
  allowed: Allowed,
): Row[] {
  return checksOf(wordingOf(seen.release.contract)).map(({ name, rule, request }) => {
    const { count, first } = findings.of(name);
    const row = { name, request: request(seen), rule, count, findings: first };
    if (count > 0) return allowedRow({ ...row, outcome: "differs" }, allowed);
    const reason = skipped[name];
    if (reason !== undefined) return { ...row, outcome: "skipped", note: reason };
    const note = name === "readable" ? readable : undefined;
    return note === undefined ? { ...row, outcome: "passed" } : { ...row, outcome: "noted", note };
  });
}

/** The rows of a release that was not looked at, but for what is known to differ. @param why the reason for the others */
export function skippedRows(why: string, wording: Wording, findings: Findings, allowed: Allowed): Row[] {
  return checksOf(wording).map(({ name, rule }) => {
    const { count, first } = findings.of(name);
    const row = { name, request: "", rule, count, findings: first };
    return count > 0 ? allowedRow({ ...row, outcome: "differs" }, allowed) : { ...row, outcome: "skipped", note: why };
  });
}

/** The checks of a release on disk, as `--allow` names them. */
export const DISK_NAMES: readonly string[] = checksOf(NO_WORDING).map(({ name }) => name);
