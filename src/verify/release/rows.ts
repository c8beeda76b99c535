/** The table of what is checked of a release on disk, in the order of the report. */
import { count } from "../../print/numbers.js";
import { SNAPSHOT, SUMS, USERS } from "../../release/layout.js";
import type { Findings } from "../findings.js";
import type { Row } from "../verdict.js";
import type { Manifest } from "./manifest.js";
import type { Tree } from "./tree.js";

/** What was there to be checked. */
export interface Seen {
  tree: Tree;
  account: Manifest;
  /** Users on all pages. */
  users: number;
}

interface DiskCheck {
  name: string;
  rule: string;
  request(seen: Seen): string;
  /** Why there is nothing to check, where there is nothing. */
  skipped?(seen: Seen): string | false;
}

const users = ({ users }: Seen) => count(users, "user");
const pages = ({ account }: Seen) => count(account.pages, "page");
const withoutSums = ({ account }: Seen) => account.digests === undefined && `${SUMS} cannot be read`;
const withoutSnapshot = ({ account }: Seen) => account.snapshot === undefined && `${SNAPSHOT} cannot be read`;

export const CHECKS: readonly DiskCheck[] = [
  { name: "sums", rule: `${SUMS} has one line for every other file`, request: () => SUMS },
  {
    name: "files",
    rule: "every listed file is there and plain, and there is no other",
    request: ({ tree }) => count(tree.size, "file"),
  },
  {
    name: "digests",
    rule: `every file has the SHA-256 that ${SUMS} lists`,
    request: ({ tree }) => count(tree.size, "file"),
    skipped: withoutSums,
  },
  {
    name: "snapshot",
    rule: `${SNAPSHOT} says what is there, and its id is made of it`,
    request: () => SNAPSHOT,
  },
  { name: "pages", rule: "every page is an envelope with sorted keys, one record a line", request: pages },
  { name: "users", rule: "every user is valid by the contract", request: users },
  { name: "canonical", rule: "every record is canonical: the same data is the same bytes", request: users },
  { name: "order", rule: "newest first by date_joined, ties by id, across all pages", request: users },
  { name: "unique-ids", rule: "no two users have the same id", request: users },
  {
    name: "count",
    rule: "count is the number of users there are, on every page",
    request: pages,
    skipped: withoutSnapshot,
  },
  {
    name: "page-size",
    rule: "every page but the last is full, and the last has the rest",
    request: pages,
    skipped: withoutSnapshot,
  },
  {
    name: "links",
    rule: "next and previous chain every page from the first to the last and back",
    request: pages,
    skipped: withoutSnapshot,
  },
  {
    name: "compressed",
    rule: "every compressed page decompresses to the plain one",
    request: ({ account }) => account.variants.slice(1).join(", ") || "none",
    skipped: ({ account }) => account.variants.length === 1 && "it has no compressed pages",
  },
  {
    name: "user-index",
    rule: `${USERS} has the digest and id of every user, in published order`,
    request: users,
    skipped: (seen) => (seen.account.others.has(USERS) ? withoutSnapshot(seen) : `it has no ${USERS}`),
  },
];

export function toRows(seen: Seen, findings: Findings): Row[] {
  return CHECKS.map(({ name, rule, request, skipped }) => {
    const { count, first } = findings.of(name);
    const note = count === 0 && skipped?.(seen);
    const outcome = count > 0 ? "differs" : note ? "skipped" : "passed";
    return { name, request: request(seen), rule, outcome, count, findings: first, ...(note && { note }) };
  });
}
