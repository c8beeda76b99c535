/** The result of a verification: a row for each check, with its first findings. */
import type { Listing } from "../core/contract/file/form.js";
import type { LinkStyle } from "../core/contract/links.js";
import type { Variant } from "../core/release/layout.js";

/** One place that is not as expected. */
export interface Finding {
  /** The name of the row. */
  check: string;
  /** The path of a file of the release. */
  path?: string;
  /** The URL of the request to a host. */
  url?: string;
  page?: number;
  /** The record's key. */
  id?: string;
  found: string;
  expected: string;
}

/**
 * - `passed`: nothing differs
 * - `differs`: something differs
 * - `allowed`: something differs, but `allow` names the check, or the host of `adapt` cannot do better
 * - `noted`: nothing differs, but the note has something to know
 * - `skipped`: there was nothing to check; the note says why
 */
type Outcome = "passed" | "differs" | "allowed" | "noted" | "skipped";

export interface Row {
  /** The stable name of the check, one word, for scripts and `--allow`. */
  name: string;
  /** What was checked or requested: `10,000 pages`, `HEAD ?page=1`. */
  request: string;
  /** The response, for a row of one request. */
  received?: string;
  /** What must be true, in the words of the contract. */
  rule: string;
  outcome: Outcome;
  /** Number of all findings. */
  count: number;
  /** The first findings. */
  findings: readonly Finding[];
  /** More to know, such as why it was skipped. */
  note?: string;
}

export interface Verdict {
  /** The release or URL that was verified, by name. */
  subject: string;
  /** The words for one record and for many. */
  words: Listing["words"];
  asked?: Asked;
  rows: readonly Row[];
  /** The verdicts of several listings, by name. The rows are those of the site then. */
  listings?: Record<string, Verdict>;
}

/** What was requested from a host. */
export interface Asked {
  /** Number of pages that were read, and of all pages. */
  pages: number;
  of: number;
  /** The content codings in which the host sent pages. */
  codings: readonly Variant[];
  links: readonly LinkStyle[];
  /** Number of files other than pages. */
  files: number;
  requests: number;
}

/** Whether no row differs. */
export function passed({ rows, listings = {} }: Verdict): boolean {
  return rows.every(({ outcome }) => outcome !== "differs") && Object.values(listings).every(passed);
}

/** Marks the rows that differ as allowed, if their checks are. @param allowed name of a check -> reason, if any */
export function withAllowed(verdict: Verdict, allowed: ReadonlyMap<string, string | undefined>): Verdict {
  const rows = verdict.rows.map((row): Row => {
    if (row.outcome !== "differs" || !allowed.has(row.name)) return row;
    const reason = allowed.get(row.name);
    return { ...row, outcome: "allowed", ...(reason !== undefined && { note: reason }) };
  });
  if (!verdict.listings) return { ...verdict, rows };
  const listings = Object.entries(verdict.listings).map(([name, listing]) => [name, withAllowed(listing, allowed)]);
  return { ...verdict, rows, listings: Object.fromEntries(listings) };
}

/** Maximum findings of a check that are kept. */
const KEPT = 20;

/** The findings of one check, first pages first. */
export type CheckFindings = { count: number; first: Finding[] };

/** Collects findings. Counts all, and keeps the first of each check by page, in whatever order they are added. */
export class Findings {
  readonly #found = new Map<string, CheckFindings>();

  add(finding: Finding): void {
    this.#add(finding.check, 1, [finding]);
  }

  of(check: string): CheckFindings {
    return this.#found.get(check) ?? { count: 0, first: [] };
  }

  /** The findings as plain data, for another thread. */
  toData(): Record<string, CheckFindings> {
    return Object.fromEntries(this.#found);
  }

  merge(data: Record<string, CheckFindings>): void {
    for (const [check, { count, first }] of Object.entries(data)) this.#add(check, count, first);
  }

  #add(check: string, more: number, some: readonly Finding[]): void {
    const { count, first } = this.of(check);
    // Findings without a page come first. Those of one page are added together, so they keep their order.
    const sorted = [...first, ...some].toSorted((a, b) => (a.page ?? 0) - (b.page ?? 0));
    this.#found.set(check, { count: count + more, first: sorted.slice(0, KEPT) });
  }
}

/** The row of a check by its findings. @param skipped why there was nothing to check. @param note more to know */
export function checkRow(
  findings: Findings,
  { name, rule }: Pick<Row, "name" | "rule">,
  request: string,
  { skipped, note }: { skipped?: string | undefined; note?: string | undefined } = {},
): Row {
  const { count, first } = findings.of(name);
  const row = { name, request, rule, count, findings: first };
  if (count > 0) return { ...row, outcome: "differs", ...(note !== undefined && { note }) };
  if (skipped !== undefined) return { ...row, outcome: "skipped", note: skipped };
  return note === undefined ? { ...row, outcome: "passed" } : { ...row, outcome: "noted", note };
}
