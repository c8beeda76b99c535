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
  says: string;
  asked(seen: Seen): string;
  /** Why there is nothing to check, where there is nothing. */
  skipped?(seen: Seen): string | false;
}

const users = ({ users }: Seen) => count(users, "user");
const pages = ({ account }: Seen) => count(account.pages, "page");
const withoutSums = ({ account }: Seen) => account.digests === undefined && `${SUMS} cannot be read`;
const withoutSnapshot = ({ account }: Seen) => account.snapshot === undefined && `${SNAPSHOT} cannot be read`;

export const CHECKS: readonly DiskCheck[] = [
  { name: "sums", says: `${SUMS} has one line for every other file`, asked: () => SUMS },
  {
    name: "files",
    says: "every listed file is there and plain, and there is no other",
    asked: ({ tree }) => count(tree.size, "file"),
  },
  {
    name: "digests",
    says: `every file has the SHA-256 that ${SUMS} lists`,
    asked: ({ tree }) => count(tree.size, "file"),
    skipped: withoutSums,
  },
  {
    name: "snapshot",
    says: `${SNAPSHOT} says what is there, and its id is made of it`,
    asked: () => SNAPSHOT,
  },
  { name: "pages", says: "every page is an envelope with sorted keys, one record a line", asked: pages },
  { name: "users", says: "every user is valid by the contract", asked: users },
  { name: "canonical", says: "every record is canonical: the same data is the same bytes", asked: users },
  { name: "order", says: "newest first by date_joined, ties by id, across all pages", asked: users },
  { name: "unique-ids", says: "no two users have the same id", asked: users },
  {
    name: "count",
    says: "count is the number of users there are, on every page",
    asked: pages,
    skipped: withoutSnapshot,
  },
  {
    name: "page-size",
    says: "every page but the last is full, and the last has the rest",
    asked: pages,
    skipped: withoutSnapshot,
  },
  {
    name: "links",
    says: "next and previous chain every page from the first to the last and back",
    asked: pages,
    skipped: withoutSnapshot,
  },
  {
    name: "compressed",
    says: "every compressed page decompresses to the plain one",
    asked: ({ account }) => account.variants.slice(1).join(", ") || "none",
    skipped: ({ account }) => account.variants.length === 1 && "it has no compressed pages",
  },
  {
    name: "user-index",
    says: `${USERS} has the digest and id of every user, in published order`,
    asked: users,
    skipped: (seen) => (seen.account.others.has(USERS) ? withoutSnapshot(seen) : `it has no ${USERS}`),
  },
];

export function toRows(seen: Seen, findings: Findings): Row[] {
  return CHECKS.map(({ name, says, asked, skipped }) => {
    const { count, first } = findings.of(name);
    const note = count === 0 && skipped?.(seen);
    const outcome = count > 0 ? "differs" : note ? "skipped" : "holds";
    return { name, asked: asked(seen), says, outcome, count, findings: first, ...(note && { note }) };
  });
}
