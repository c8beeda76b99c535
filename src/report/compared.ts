/** Which fields a report is about, where some were left out. */
import type { FieldFilter } from "../diff/change.js";

/** More than a person would give. */
const MOST_SHOWN = 40;

/**
 * `only kyc_status, off_chain.*`, `all fields but bio`; undefined where every field counts.
 * @param show makes a pattern safe to stand in the report.
 */
export function compared({ only, ignore = [] }: FieldFilter, show: (pattern: string) => string): string | undefined {
  const list = (patterns: readonly string[]) => {
    const all = [...new Set(patterns)];
    const rest = all.length - MOST_SHOWN;
    return all.slice(0, MOST_SHOWN).map(show).join(", ") + (rest > 0 ? ` and ${rest} more` : "");
  };
  if (only === undefined) return ignore.length === 0 ? undefined : `all fields but ${list(ignore)}`;
  return `only ${list(only)}${ignore.length === 0 ? "" : `, without ${list(ignore)}`}`;
}
