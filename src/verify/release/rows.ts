/** The checks of a release on disk, in the order of the report. */
import { AVATAR_PATH } from "../../contract/links.js";
import { count } from "../../print/numbers.js";
import { BULK, CHANGES, CONTRACT, CSV, OPENAPI, RECORDS, SNAPSHOT, SUMS } from "../../release/layout.js";
import { lookupRules, NO_WORDING, recordRules, type Wording, wordingOf } from "../rules.js";
import { SIGNATURE_ROW } from "../signature.js";
import { allowedRow, type Findings, type Row } from "../verdict.js";
import type { OpenRelease } from "./manifest.js";
import { groupOf } from "./tree.js";

/** Name of a check -> reason. */
export type Reasons = Partial<Record<string, string | undefined>>;

/** What was checked, for the rows of the report. */
interface Seen extends OpenRelease {
  records: number;
  /** The cell of the signature. */
  signature: string;
  /** Why checks were skipped. */
  skipped: Reasons;
  /** Notes for checks without findings. */
  noted: Reasons;
}

/** A name, a rule, what was checked, and the files that the check needs. */
type Check = readonly [name: string, rule: string, request: (seen: Seen) => string, ...needs: string[]];

/** The checks in the words of a contract. */
export function checksOf(wording: Wording) {
  const { one, many, key } = wording;
  const rules = { ...recordRules(wording), ...lookupRules(wording) };
  const pages = ({ manifest }: Seen) => count(manifest.pages, "page");
  const files = ({ tree }: Seen) => count(tree.size, "file");
  const records = (seen: Seen) => count(seen.records, [one, many]);
  const variants = ({ manifest }: Seen) => manifest.variants.slice(1).join(", ") || "none";
  const filesOf = (check: string, what: string) => (seen: Seen) =>
    count(seen.tree.find((path) => groupOf(path) === check && ![BULK, CHANGES].includes(path)).length, what);
  const signed = ({ signature }: Seen) => signature;
  const canonical = "every record is canonical JSON";
  const compressed = "every compressed page decompresses to the plain one";
  const list = `${RECORDS} has the digest and ${key} of every ${one}, in published order`;
  const bulk = `the parts of ${BULK} hold exactly the ${many} of the pages, in order`;
  const csv = `${CSV} holds exactly the ${many} of the pages, in order`;
  const step = `each step of ${CHANGES} is intact and holds exactly the changes between its two states, if both are there`;
  const checks: readonly Check[] = [
    ["sums", `${SUMS} has one line for every other file`, () => SUMS],
    ["files", "all listed files exist, are regular, and there are no others", files],
    ["digests", `every file has the SHA-256 that ${SUMS} lists`, files, SUMS],
    [SIGNATURE_ROW.name, SIGNATURE_ROW.rule, signed],
    ["snapshot", `${SNAPSHOT} matches the release, and its id is made from the content`, () => SNAPSHOT],
    ["contract", `${CONTRACT} is a valid contract`, () => CONTRACT],
    ["description", `${OPENAPI} describes this contract, ${SNAPSHOT} and these files`, () => OPENAPI],
    ["pages", "every page is an envelope with sorted keys, one record a line", pages, CONTRACT],
    ["records", rules.records, records, CONTRACT],
    ["canonical", canonical, records, CONTRACT],
    ["order", rules.order, records, CONTRACT],
    ["unique-keys", rules.uniqueKeys, records, CONTRACT],
    ["count", rules.count, pages, CONTRACT, SNAPSHOT],
    ["page-size", rules.pageSize, pages, CONTRACT, SNAPSHOT],
    ["links", rules.links, pages, CONTRACT, SNAPSHOT],
    ["compressed", compressed, variants],
    ["record-list", list, records, CONTRACT, SNAPSHOT],
    ["bulk", bulk, filesOf("bulk", "part"), CONTRACT, SNAPSHOT],
    ["csv", csv, filesOf("csv", "file"), CONTRACT, SNAPSHOT],
    ["changes", step, filesOf("changes", "step"), CONTRACT, SNAPSHOT],
    ["lookup", rules.lookup, filesOf("lookup", "file"), CONTRACT, SNAPSHOT],
    ["explorer", rules.explorer, filesOf("explorer", "file"), CONTRACT, SNAPSHOT],
    ["avatar", `${AVATAR_PATH} is the image that Rollcall writes`, () => AVATAR_PATH],
    ["readable", "other users, such as a web server's, can read every file", files],
  ];
  return checks.map(([name, rule, request, ...needs]) => ({ name, rule, request, needs }));
}

/** The rows of the report. @param allowed checks that may differ -> reason, if any */
export function toRows(seen: Seen, findings: Findings, allowed?: ReadonlyMap<string, string | undefined>): Row[] {
  const { contract, snapshot, digests } = seen.manifest;
  const unusable: Reasons = {
    [SUMS]: digests ? undefined : `${SUMS} cannot be read`,
    [SNAPSHOT]: snapshot ? undefined : `${SNAPSHOT} cannot be read`,
    [CONTRACT]: contract ? undefined : `${CONTRACT} cannot be used`,
  };
  return checksOf(contract ? wordingOf(contract) : NO_WORDING).map(({ name, rule, request, needs }) => {
    const { count, first } = findings.of(name);
    const row = { name, request: request(seen), rule, count, findings: first };
    if (count > 0) return allowedRow({ ...row, outcome: "differs" }, allowed);
    const skipped = seen.skipped[name] ?? needs.map((path) => unusable[path]).find(Boolean);
    if (skipped !== undefined) return { ...row, outcome: "skipped", note: skipped };
    const note = seen.noted[name];
    return note === undefined ? { ...row, outcome: "passed" } : { ...row, outcome: "noted", note };
  });
}

/** The checks of a release on disk, as `--allow` names them. */
export const DISK_NAMES: readonly string[] = checksOf(NO_WORDING).map(({ name }) => name);
