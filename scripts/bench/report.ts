/** What a part of the benchmark found, as tables and verdicts, and how both look on a terminal and in Markdown. */
import Table from "cli-table3";

/** Rows of text; the first column names the row. */
export interface Figures {
  title: string;
  head: readonly string[];
  rows: readonly (readonly string[])[];
}

/** A figure held against what was asked for. */
export interface Verdict {
  what: string;
  /** One of the two. */
  atLeast?: number;
  atMost?: number;
  /** `undefined` or not a number where this machine could not measure it. */
  measured: number | undefined;
}

export interface Findings {
  tables: readonly Figures[];
  verdicts: readonly Verdict[];
  /** What could not be measured here, and what to install for it. */
  missing: readonly string[];
  /** All that was measured, for a machine. */
  figures: unknown;
}

/** All findings for a terminal. A quick run is not judged: its figures are those of starting and stopping. */
export function toText({ tables, verdicts, missing }: Omit<Findings, "figures">, isJudged: boolean): string {
  const parts = [...tables, ...judged(verdicts, isJudged)].map(({ title, head, rows }) => {
    const table = new Table({
      head: [...head],
      style: { head: [], border: [], compact: true },
      colAligns: head.map((_, at) => (at === 0 ? "left" : "right")),
    });
    table.push(...rows.map((row) => [...row]));
    return `${title}\n${table.toString()}\n`;
  });
  return [...parts, ...absent(missing)].join("\n");
}

/** The same for a page of documentation. */
export function toMarkdown({ tables, verdicts, missing }: Omit<Findings, "figures">, isJudged: boolean): string {
  const parts = [...tables, ...judged(verdicts, isJudged)].map(({ title, head, rows }) => {
    const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
    const rule = head.map((_, at) => (at === 0 ? "---" : "---:"));
    return `### ${title}\n\n${[head, rule, ...rows].map(line).join("\n")}\n`;
  });
  return [...parts, ...absent(missing)].join("\n");
}

function judged(verdicts: readonly Verdict[], isJudged: boolean): Figures[] {
  if (!isJudged || verdicts.length === 0) return [];
  const rows = verdicts.map(({ what, atLeast, atMost, measured }) => {
    const target = atLeast === undefined ? `at most ${fixed(atMost ?? Number.NaN)}` : `at least ${fixed(atLeast)}`;
    if (measured === undefined || !Number.isFinite(measured)) return [what, target, "-", "not measured"];
    const isMet = measured >= (atLeast ?? -Infinity) && measured <= (atMost ?? Infinity);
    return [what, target, fixed(measured), isMet ? "met" : "missed"];
  });
  return [{ title: "Targets", head: ["", "target", "measured", ""], rows }];
}

function absent(missing: readonly string[]): string[] {
  if (missing.length === 0) return [];
  return [["Not measured, or not to the end:", "", ...missing.map((what) => `- ${what}`), ""].join("\n")];
}

/** `0.84`, `12.3`, `1,204`: three digits that count, or more. */
export function fixed(value: number): string {
  if (!Number.isFinite(value)) return "-";
  const digits = Math.abs(value) < 10 ? 2 : Math.abs(value) < 100 ? 1 : 0;
  return value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
}
