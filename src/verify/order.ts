/** What must be true of users together: their order, and that no two have the same id. */
import type { PagePaths } from "../release/layout.js";
import type { OrderKey } from "./records.js";
import { IdTable } from "./repeated-ids.js";
import type { Findings } from "./verdict.js";

type UserOnPage = OrderKey & { page: number };

/** What of a batch of pages is compared with other batches. */
export interface BatchUsers {
  count: number;
  /** Of each page, as a JSON array. */
  ids: { page: number; ids: string }[];
  /** The first and the last user; undefined where nobody has an id and a time. */
  edges: { first: UserOnPage; last: UserOnPage } | undefined;
}

/** Takes the users of a batch page by page, and checks their order. */
export class BatchCheck {
  readonly #users: BatchUsers = { count: 0, ids: [], edges: undefined };

  constructor(
    private readonly findings: Findings,
    private readonly paths: PagePaths,
  ) {}

  add(page: number, keys: readonly (OrderKey | undefined)[]): void {
    const ids: string[] = [];
    for (const key of keys) {
      if (!key) continue;
      const user = { ...key, page };
      const { first, last } = this.#users.edges ?? { first: user };
      checkOrder(last, user, this.findings, this.paths);
      this.#users.edges = { first, last: user };
      ids.push(key.id);
    }
    this.#users.count += keys.length;
    this.#users.ids.push({ page, ids: JSON.stringify(ids) });
  }

  finish(): BatchUsers {
    const { edges, ...others } = this.#users;
    return { ...others, edges: edges && { first: detach(edges.first), last: detach(edges.last) } };
  }
}

/** Takes batches in any order, and keeps only those before their turn. Call `close` in the end. */
export class AllUsersCheck {
  count = 0;
  readonly #ids = new IdTable();
  /** First page -> how many pages, and their users. */
  readonly #early = new Map<number, { pages: number; edges: BatchUsers["edges"] }>();
  #next = 1;
  #last: UserOnPage | undefined;

  constructor(
    private readonly findings: Findings,
    private readonly paths: PagePaths,
  ) {}

  /** Call it for batches without users, too. @throws UserError when the folder for temporary files cannot hold their ids. */
  add(first: number, pages: number, users?: BatchUsers): void {
    this.count += users?.count ?? 0;
    for (const { page, ids } of users?.ids ?? []) this.#ids.add(page, ids);
    this.#early.set(first, { pages, edges: users?.edges });
    for (let batch = this.#early.get(this.#next); batch; batch = this.#early.get(this.#next)) {
      this.#early.delete(this.#next);
      this.#next += batch.pages;
      if (!batch.edges) continue;
      checkOrder(this.#last, batch.edges.first, this.findings, this.paths);
      this.#last = batch.edges.last;
    }
  }

  /** Adds a finding for every id that comes more than once. */
  finish(): void {
    for (const { id, times, first, last } of this.#ids.find()) {
      const where = first === last ? `on page ${first}` : `on pages ${first} to ${last}`;
      const found = `${times} times, ${where}`;
      this.findings.add({
        check: "unique-ids",
        path: this.paths.path(first),
        page: first,
        id,
        found,
        expected: "once",
      });
    }
  }

  close(): void {
    this.#ids.close();
  }
}

/** Each user must come after the one before: newest first, ties by id. Equal ids are the finding of another check. */
function checkOrder(
  before: UserOnPage | undefined,
  { joined, id, page }: UserOnPage,
  findings: Findings,
  paths: PagePaths,
): void {
  if (before === undefined || before.joined > joined) return;
  const isTie = before.joined === joined;
  if (isTie && before.id <= id) return;
  const found = isTie ? `after ${before.id}, of the same time` : `${joined} after ${before.joined}`;
  findings.add({ check: "order", path: paths.path(page), page, id, found, expected: "newest first, ties by id" });
}

/** A slice of a string keeps the whole string in memory; a copy does not. */
function detach({ page, ...key }: UserOnPage): UserOnPage {
  const copy = (text: string) => Buffer.from(text).toString();
  return { page, id: copy(key.id), joined: copy(key.joined) };
}
