/** `--format text`: a diff for people at a terminal. Totals come first. */
import type { Diff, SideFacts } from "../../diff/change.js";
import { count, number } from "../../print/numbers.js";
import type { Paint } from "../../print/style.js";
import { visible } from "../../print/text.js";
import { chunks } from "../chunks.js";
import { comparedFields, movesByFacet, type ReportOptions, settingChanges, sideName } from "../facts.js";
import { inQuotes, type Subject, subjectOf } from "../subject.js";
import { writePath } from "../value.js";
import { changesText, contractText } from "./changes.js";

export interface TextOptions extends ReportOptions {
  /** Changes of each kind that are shown; Infinity for all. */
  limit: number;
  paint: Paint;
}

export function textReport(diff: Diff, options: TextOptions): AsyncGenerator<string> {
  return chunks(parts(diff, options));
}

async function* parts(diff: Diff, { limit, paint, exceeded = [], filter = {} }: TextOptions) {
  const subject = subjectOf(diff.new.contract);
  yield sides(diff, subject, paint);
  yield contractText(diff, paint);
  yield `\n${totals(diff, subject, paint)}`;
  if (exceeded.length > 0) yield "\n";
  for (const sentence of exceeded) yield `${paint(["bold", "red"], "gate exceeded")}  ${visible(sentence)}\n`;
  const fields = comparedFields(filter, visible);
  if (fields !== undefined) yield `\n${paint("dim", "compared")}  ${fields}\n`;
  const settings = settingChanges(diff);
  if (settings.length > 0) {
    const parts = settings.map(({ name, old, new: now }) => `${name} ${visible(old)} -> ${visible(now)}`);
    yield `\n${paint("dim", "settings")}  ${parts.join(", ")}\n`;
  }
  if (diff.fields.size > 0)
    yield table(
      "fields changed",
      [...diff.fields].map(([path, records]): Row => [writePath(path), records]),
      paint,
    );
  for (const [path, moves] of movesByFacet(diff)) {
    const value = (side: unknown) => inQuotes(subject.write(path, side));
    const rows = moves
      .slice(0, MOST_MOVES)
      .map(({ from, to, count }): Row => [`${value(from)} -> ${value(to)}`, count]);
    yield table(writePath(path), rows, paint);
    if (moves.length > MOST_MOVES) yield `  ... ${number(moves.length - MOST_MOVES)} rarer ones not shown\n`;
  }
  yield* changesText(diff, limit, paint);
}

/** A facet may have many values, and so very many moves. */
const MOST_MOVES = 100;

/** The two snapshots, one below the other. */
function sides(diff: Diff, { words }: Subject, paint: Paint): string {
  const name = (side: SideFacts) => visible(sideName(side));
  const width = Math.max(name(diff.old).length, name(diff.new).length);
  const line = (word: string, side: SideFacts) => {
    const head = `${paint("dim", word)}  ${paint("bold", name(side))}${" ".repeat(width - name(side).length)}`;
    return `${head}    ${visible(count(side.count, words))}, ${count(side.pages, "page")}\n`;
  };
  return line("old", diff.old) + line("new", diff.new);
}

function totals(diff: Diff, { words }: Subject, paint: Paint): string {
  const { added, removed, changed, unchanged } = diff;
  if (added + removed + changed === 0)
    return unchanged === 0 ? "No changes: both are empty.\n" : `No changes in ${visible(count(unchanged, words))}.\n`;
  const width = Math.max(...[added, removed, changed, unchanged].map((total) => number(total).length));
  const line = (word: string, format: Parameters<Paint>[0], total: number) =>
    `${word.padEnd(9)}  ${paint(total === 0 ? "dim" : format, number(total).padStart(width))}\n`;
  return [
    line("added", ["bold", "green"], added),
    line("removed", ["bold", "red"], removed),
    line("changed", ["bold", "yellow"], changed),
    line("unchanged", "dim", unchanged),
  ].join("");
}

/** A name, and how many records it is of. Not escaped. */
type Row = readonly [name: string, records: number];

/** Rows in two aligned columns. */
function table(title: string, rows: readonly Row[], paint: Paint): string {
  const width = Math.max(...rows.map(([name]) => visible(name).length));
  const digits = Math.max(...rows.map(([, records]) => number(records).length));
  const lines = rows.map(
    ([name, records]) => `  ${visible(name).padEnd(width)}  ${number(records).padStart(digits)}\n`,
  );
  return `\n${paint("bold", visible(title))}\n${lines.join("")}`;
}
