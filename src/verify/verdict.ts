/** What a verification rule: a row for each thing that was checked, with the first of what was found to differ. */

/** One place where something is not as it should be. */
export interface Finding {
  /** The name of the row. */
  check: string;
  /** A file of the release. */
  path?: string;
  /** What was asked for, where it was asked of a host. */
  url?: string;
  page?: number;
  /** The user's. */
  id?: string;
  found: string;
  expected: string;
}

/**
 * - `passed`: nothing differs
 * - `differs`: something does
 * - `allowed`: something does, and that was said to be known
 * - `skipped`: there was nothing to check; the note says why
 */
type Outcome = "passed" | "differs" | "allowed" | "skipped";

export interface Row {
  /** Stable, and one word for scripts and `--allow`. */
  name: string;
  /** What was looked at or request: `10,000 pages`, `HEAD ?page=1`. */
  request: string;
  /** What received, for a row of one request. */
  received?: string;
  /** What must hold, in the words of the contract. */
  rule: string;
  outcome: Outcome;
  /** Findings in all. */
  count: number;
  /** The first of them. */
  findings: readonly Finding[];
  /** What else there is to know, as why it was skipped. */
  note?: string;
}

export interface Verdict {
  /** What was verified, as a person would say it. */
  subject: string;
  rows: readonly Row[];
}

/** Whether nothing differs but what was allowed to. */
export function passed({ rows }: Verdict): boolean {
  return rows.every(({ outcome }) => outcome !== "differs");
}
