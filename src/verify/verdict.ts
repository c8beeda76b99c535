/** The result of a verification: a row for each check, with the first of what was found to differ. */

import type { Listing } from "../contract/file/form.js";
import type { LinkStyle } from "../contract/links.js";
import type { Variant } from "../release/layout.js";

/** One place where something is not as it should be. */
export interface Finding {
  /** The name of the row. */
  check: string;
  /** A file of the release. */
  path?: string;
  /** The request's, of a host. */
  url?: string;
  page?: number;
  /** The record's key. */
  id?: string;
  found: string;
  expected: string;
}

/**
 * - `passed`: nothing differs
 * - `differs`: something does
 * - `allowed`: something does, and `allow` names the check, or the host of `adapt` cannot do better
 * - `noted`: there is something to know, and it is no failure; the note says what
 * - `skipped`: there was nothing to check; the note says why
 */
type Outcome = "passed" | "differs" | "allowed" | "noted" | "skipped";

export interface Row {
  /** Stable, and one word for scripts and `--allow`. */
  name: string;
  /** What was checked or requested: `10,000 pages`, `HEAD ?page=1`. */
  request: string;
  /** The answer, for a row of one request. */
  received?: string;
  /** What must be true, in the words of the contract. */
  rule: string;
  outcome: Outcome;
  /** Findings in all. */
  count: number;
  /** The first of them. */
  findings: readonly Finding[];
  /** What else there is to know, such as why it was skipped. */
  note?: string;
}

export interface Verdict {
  /** What was verified, as a person would say it. */
  subject: string;
  /** What one record is called, and many are. */
  words: Listing["words"];
  asked?: Asked;
  rows: readonly Row[];
}

/** What was requested of a host. */
export interface Asked {
  /** Pages that were read, and how many there are: a sample, where there are more. */
  pages: number;
  of: number;
  /** In which the host gave pages. */
  codings: readonly Variant[];
  links: readonly LinkStyle[];
  /** Files that are no pages. */
  files: number;
  requests: number;
}

export function passed({ rows }: Verdict): boolean {
  return rows.every(({ outcome }) => outcome !== "differs");
}

/** A row that differs, as it is where its check may. @param allowed by name, each with the reason, if there is one. */
export function allowedRow(row: Row, allowed: ReadonlyMap<string, string | undefined> | undefined): Row {
  if (row.outcome !== "differs" || !allowed?.has(row.name)) return row;
  const reason = allowed.get(row.name);
  return { ...row, outcome: "allowed", ...(reason !== undefined && { note: reason }) };
}

/** How many findings of one check are kept. */
const KEPT = 20;

/** The findings of one check, first pages first. */
export type CheckFindings = { count: number; first: Finding[] };

/** Collects findings: all are counted, and the first of each check are kept, whatever order they come in. */
export class Findings {
  readonly #found = new Map<string, CheckFindings>();

  add(finding: Finding): void {
    this.#add(finding.check, 1, [finding]);
  }

  of(check: string): CheckFindings {
    return this.#found.get(check) ?? { count: 0, first: [] };
  }

  /** As plain data, for another thread. */
  toData(): Record<string, CheckFindings> {
    return Object.fromEntries(this.#found);
  }

  merge(data: Record<string, CheckFindings>): void {
    for (const [check, { count, first }] of Object.entries(data)) this.#add(check, count, first);
  }

  #add(check: string, more: number, some: readonly Finding[]): void {
    const { count, first } = this.of(check);
    // Those that concern no page come first. Findings of one page come in one piece, so they keep their order.
    const sorted = [...first, ...some].toSorted((a, b) => (a.page ?? 0) - (b.page ?? 0));
    this.#found.set(check, { count: count + more, first: sorted.slice(0, KEPT) });
  }
}
