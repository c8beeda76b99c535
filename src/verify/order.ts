/** The order of users across pages, and their ids, among which repeated ones are looked for. */
import { pagePath } from "../release/layout.js";
import type { IdTable } from "../release/repeated-ids.js";
import type { OrderKey } from "./records.js";
import type { Findings } from "./verdict.js";

/** A user and the page that it is on. */
export interface Placed extends OrderKey {
  page: number;
}

/** The ids of one page's users. */
export interface PageIds {
  page: number;
  ids: string[];
}

/** Finds that a user does not come after the one before: newest first, ties by id. Equal ids are another check's. */
function checkOrder(before: Placed | undefined, next: Placed, findings: Findings): void {
  if (before === undefined || before.joined > next.joined) return;
  const isTie = before.joined === next.joined;
  if (isTie && before.id <= next.id) return;
  const { page, id } = next;
  const found = isTie ? `after ${before.id}, of the same time` : `${next.joined} after ${before.joined}`;
  findings.add({
    check: "order",
    path: pagePath(page),
    page,
    id,
    found,
    expected: "newest first, ties by id",
  });
}

/** The first and the last user of some pages. */
export interface Edges {
  first: Placed;
  last: Placed;
}

/** Holds stretches of pages against each other as they come, in any order: only those before their turn are kept. */
export class Seams {
  /** First page -> how many pages, and their users. */
  readonly #early = new Map<number, { pages: number; edges: Edges | undefined }>();
  readonly #findings: Findings;
  #next = 1;
  #last: Placed | undefined;

  constructor(findings: Findings) {
    this.#findings = findings;
  }

  /** Every stretch must be told, also one of which nothing can be said. */
  add(first: number, pages: number, edges: Edges | undefined): void {
    this.#early.set(first, { pages, edges });
    for (let found = this.#early.get(this.#next); found; found = this.#early.get(this.#next)) {
      this.#early.delete(this.#next);
      this.#next += found.pages;
      if (!found.edges) continue;
      checkOrder(this.#last, found.edges.first, this.#findings);
      this.#last = found.edges.last;
    }
  }
}

/** The users of a stretch of pages, as they come. */
export class Users {
  count = 0;
  readonly ids: PageIds[] = [];
  readonly #findings: Findings;
  #first: Placed | undefined;
  #last: Placed | undefined;

  constructor(findings: Findings) {
    this.#findings = findings;
  }

  add(page: number, keys: readonly (OrderKey | undefined)[]): void {
    this.count += keys.length;
    const ids: string[] = [];
    for (const key of keys) {
      if (!key) continue;
      const placed = { ...key, page };
      checkOrder(this.#last, placed, this.#findings);
      this.#first ??= placed;
      this.#last = placed;
      ids.push(key.id);
    }
    this.ids.push({ page, ids });
  }

  /** Undefined where nobody has an id and a time. */
  get edges(): Edges | undefined {
    return this.#first && this.#last && { first: detach(this.#first), last: detach(this.#last) };
  }
}

/** Adds a finding for every id that comes more than once. */
export function checkIds(table: IdTable, findings: Findings): void {
  for (const { id, times, first, last } of table.find()) {
    const where = first === last ? `on page ${first}` : `on pages ${first} to ${last}`;
    const found = `${times} times, ${where}`;
    findings.add({ check: "unique-ids", path: pagePath(first), page: first, id, found, expected: "once" });
  }
}

/** A piece of a text holds the whole text in memory; a copy does not. */
function detach({ page, ...key }: Placed): Placed {
  const copy = (text: string) => Buffer.from(text).toString();
  return { page, id: copy(key.id), joined: copy(key.joined) };
}
