/** Findings while they come: all are counted, the first of each check are kept, whatever order they come in. */
import type { Finding } from "./verdict.js";

/** How many findings of one check are kept. */
const KEPT = 20;

/** The findings of one check, first pages first. */
export interface CheckFindings {
  count: number;
  first: Finding[];
}

export class Findings {
  readonly #found = new Map<string, CheckFindings>();

  add(finding: Finding): void {
    const { count, first } = this.of(finding.check);
    this.#found.set(finding.check, { count: count + 1, first: firstOf([...first, finding]) });
  }

  of(check: string): CheckFindings {
    return this.#found.get(check) ?? { count: 0, first: [] };
  }

  /** All of them as plain data, for another thread. */
  toData(): Record<string, CheckFindings> {
    return Object.fromEntries(this.#found);
  }

  /** Adds what another thread has found. */
  merge(data: Record<string, CheckFindings>): void {
    for (const [check, { count, first }] of Object.entries(data)) {
      const mine = this.of(check);
      this.#found.set(check, { count: mine.count + count, first: firstOf([...mine.first, ...first]) });
    }
  }
}

/** Those that concern no page come first. Findings of one page come in one piece, so they keep their order. */
function firstOf(findings: readonly Finding[]): Finding[] {
  return findings.toSorted((a, b) => (a.page ?? 0) - (b.page ?? 0)).slice(0, KEPT);
}
