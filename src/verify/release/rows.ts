/** The table of what is checked of a release on disk, in the order of the report. */

import { AVATAR_PATH } from "../../contract/links.js";
import { count } from "../../print/numbers.js";
import { BULK, CHANGES, CONTRACT, OPENAPI, RECORDS, SNAPSHOT, SUMS } from "../../release/layout.js";
import { lookupRules, NO_WORDING, recordRules, type Wording, wordingOf } from "../rules.js";
import { describeSigned, SIGNATURE_ROW, type SignatureResult, whySkipped } from "../signature.js";
import { allowedRow, type Findings, type Row } from "../verdict.js";
import { hasBulk, partsIn } from "./bulk.js";
import { hasChanges, stepsIn } from "./changes.js";
import type { CheckedHosts } from "./hosts.js";
import { filesOf, type WhyUnproved } from "./lookup.js";
import type { Manifest } from "./manifest.js";
import type { Tree } from "./tree.js";

export interface Seen {
  tree: Tree;
  manifest: Manifest;
  signature: SignatureResult;
  /** Why openapi.json is not compared with what the release is. */
  undescribed: string | undefined;
  records: number;
  unproved: WhyUnproved;
  hosts: CheckedHosts;
  /** What keeps other users from reading it. */
  barrier: string | undefined;
}

interface DiskCheck {
  name: string;
  rule: string;
  request(seen: Seen): string;
  /** Why there is nothing to check. */
  skipped(seen: Seen): string | false;
  /** What there is to know, where nothing differs. */
  noted?(seen: Seen): string | undefined;
}

const pages = ({ manifest }: Seen) => count(manifest.pages, "page");
const files = ({ tree }: Seen) => count(tree.size, "file");
const withoutSums = ({ manifest }: Seen) => manifest.digests === undefined && `${SUMS} cannot be read`;
const withoutSnapshot = ({ manifest }: Seen) => manifest.snapshot === undefined && `${SNAPSHOT} cannot be read`;
const withoutContract = ({ manifest }: Seen) => manifest.contract === undefined && `${CONTRACT} cannot be used`;
const withoutEither = (seen: Seen) => withoutContract(seen) || withoutSnapshot(seen);

/** In the words of a contract. */
export function checksOf(wording: Wording): readonly DiskCheck[] {
  const { one, many, key } = wording;
  const records = ({ records }: Seen) => count(records, [one, many]);
  const rules = recordRules(wording);
  return [
    check("sums", `${SUMS} has one line for every other file`, () => SUMS),
    check("files", "every listed file is there and plain, and there is no other", files),
    check("digests", `every file has the SHA-256 that ${SUMS} lists`, files, withoutSums),
    check(
      SIGNATURE_ROW.name,
      SIGNATURE_ROW.rule,
      ({ signature }) => describeSigned(signature),
      ({ signature }) => whySkipped(signature) ?? false,
    ),
    check("snapshot", `${SNAPSHOT} says what is there, and its id is made of it`, () => SNAPSHOT),
    check("contract", `${CONTRACT} is a valid contract`, () => CONTRACT),
    check(
      "description",
      `${OPENAPI} is what the contract, ${SNAPSHOT} and the files give`,
      () => OPENAPI,
      ({ undescribed }) => undescribed ?? false,
    ),
    check("pages", "every page is an envelope with sorted keys, one record a line", pages, withoutContract),
    check("records", rules.records, records, withoutContract),
    check("canonical", "every record is canonical: the same data is the same bytes", records, withoutContract),
    check("order", rules.order, records, withoutContract),
    check("unique-keys", rules.uniqueKeys, records, withoutContract),
    check("count", rules.count, pages, withoutEither),
    check("page-size", rules.pageSize, pages, withoutEither),
    check("links", rules.links, pages, withoutEither),
    check(
      "compressed",
      "every compressed page decompresses to the plain one",
      ({ manifest }) => manifest.variants.slice(1).join(", ") || "none",
      ({ manifest }) => manifest.variants.length === 1 && "it has no compressed pages",
    ),
    check(
      "record-list",
      `${RECORDS} has the digest and ${key} of every ${one}, in published order`,
      records,
      withoutEither,
    ),
    check(
      "bulk",
      `the parts of ${BULK} hold every ${one} as its page does, in order, and nothing else`,
      ({ tree }) => count(partsIn(tree).length, "part"),
      (seen) => (hasBulk(seen.manifest, seen.tree) ? withoutEither(seen) : `it has no ${BULK}`),
    ),
    check(
      "changes",
      `each step of ${CHANGES} is whole, and all that differs between its ends, where those are there`,
      ({ tree }) => count(stepsIn(tree).length, "step"),
      (seen) => (hasChanges(seen.manifest, seen.tree) ? withoutEither(seen) : `it has no ${CHANGES}`),
    ),
    made("lookup", lookupRules(wording).lookup),
    made("explorer", lookupRules(wording).explorer),
    check(
      "avatar",
      `${AVATAR_PATH} is the image that Rollcall writes`,
      () => AVATAR_PATH,
      ({ tree }) => !tree.has(AVATAR_PATH) && `it has no ${AVATAR_PATH}`,
    ),
    {
      ...check(
        "hosts",
        "files for other hosts are what Rollcall writes for this release",
        ({ hosts }) => count(hosts.files, "file"),
        (seen) => (seen.hosts.files === 0 && "it has none") || withoutEither(seen),
      ),
      noted: ({ hosts }) => hosts.note,
    },
    {
      ...check("readable", "other users can read it, as a web server with a user of its own must", files),
      noted: ({ barrier }) => barrier,
    },
  ];
}

function check(
  name: string,
  rule: string,
  request: DiskCheck["request"],
  skipped: DiskCheck["skipped"] = () => false,
): DiskCheck {
  return { name, rule, request, skipped };
}

/** Of files that records make. */
function made(name: string, rule: string): DiskCheck {
  return check(
    name,
    rule,
    ({ tree, manifest }) => count(filesOf(name, manifest, tree).length, "file"),
    (seen) => seen.unproved.get(name) ?? withoutEither(seen),
  );
}

/** @param allowed checks that may differ, each with the reason, if there is one. */
export function toRows(seen: Seen, findings: Findings, allowed?: ReadonlyMap<string, string | undefined>): Row[] {
  const { contract } = seen.manifest;
  return checksOf(contract ? wordingOf(contract) : NO_WORDING).map(({ name, rule, request, skipped, noted }) => {
    const { count, first } = findings.of(name);
    const row = { name, request: request(seen), rule, count, findings: first };
    if (count > 0) return allowedRow({ ...row, outcome: "differs" }, allowed);
    const [why, note] = [skipped(seen), noted?.(seen)];
    if (why) return { ...row, outcome: "skipped", note: why };
    return note === undefined ? { ...row, outcome: "passed" } : { ...row, outcome: "noted", note };
  });
}

/** The checks of a release on disk, as `--allow` names them. */
export const DISK_NAMES: readonly string[] = checksOf(NO_WORDING).map(({ name }) => name);
