/** The table of what is checked of a release on disk, in the order of the report. */
import { count } from "../../print/numbers.js";
import { RECORDS, SNAPSHOT, SUMS } from "../../release/layout.js";
import { findRecordList } from "../../release/record-list.js";
import type { Findings, Row } from "../verdict.js";
import type { Tree } from "./files.js";
import type { Manifest } from "./manifest.js";

export interface Seen {
  tree: Tree;
  manifest: Manifest;
  users: number;
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

const users = ({ users }: Seen) => count(users, "user");
const pages = ({ manifest }: Seen) => count(manifest.pages, "page");
const files = ({ tree }: Seen) => count(tree.size, "file");
const withoutSums = ({ manifest }: Seen) => manifest.digests === undefined && `${SUMS} cannot be read`;
const withoutSnapshot = ({ manifest }: Seen) => manifest.snapshot === undefined && `${SNAPSHOT} cannot be read`;

export const CHECKS: readonly DiskCheck[] = [
  check("sums", `${SUMS} has one line for every other file`, () => SUMS),
  check("files", "every listed file is there and plain, and there is no other", files),
  check("digests", `every file has the SHA-256 that ${SUMS} lists`, files, withoutSums),
  check("snapshot", `${SNAPSHOT} says what is there, and its id is made of it`, () => SNAPSHOT),
  check("pages", "every page is an envelope with sorted keys, one record a line", pages),
  check("users", "every user is valid by the contract", users),
  check("canonical", "every record is canonical: the same data is the same bytes", users),
  check("order", "newest first by date_joined, ties by id, across all pages", users),
  check("unique-ids", "no two users have the same id", users),
  check("count", "count is the number of users there are, on every page", pages, withoutSnapshot),
  check("page-size", "every page but the last is full, and the last has the rest", pages, withoutSnapshot),
  check("links", "next and previous chain every page from the first to the last and back", pages, withoutSnapshot),
  check(
    "compressed",
    "every compressed page decompresses to the plain one",
    ({ manifest }) => manifest.variants.slice(1).join(", ") || "none",
    ({ manifest }) => manifest.variants.length === 1 && "it has no compressed pages",
  ),
  check("user-index", `${RECORDS} has the digest and key of every record, in published order`, users, (seen) =>
    findRecordList(seen.manifest) ? withoutSnapshot(seen) : `it has no ${RECORDS}`,
  ),
  {
    ...check("readable", "other users can read it, as a web server with a user of its own must", files),
    noted: ({ barrier }) => barrier,
  },
];

function check(
  name: string,
  rule: string,
  request: DiskCheck["request"],
  skipped: DiskCheck["skipped"] = () => false,
): DiskCheck {
  return { name, rule, request, skipped };
}

export function toRows(seen: Seen, findings: Findings): Row[] {
  return CHECKS.map(({ name, rule, request, skipped, noted }) => {
    const { count, first } = findings.of(name);
    const row = { name, request: request(seen), rule, count, findings: first };
    if (count > 0) return { ...row, outcome: "differs" };
    const [why, note] = [skipped(seen), noted?.(seen)];
    if (why) return { ...row, outcome: "skipped", note: why };
    return note === undefined ? { ...row, outcome: "passed" } : { ...row, outcome: "noted", note };
  });
}
