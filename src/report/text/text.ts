/** `--format text`: a diff for people at a terminal. Totals come first. */
import type { Diff, SideFacts } from "../../diff/change.js";
import { count, number } from "../../print/numbers.js";
import type { Paint } from "../../print/style.js";
import { visible } from "../../print/text.js";
import { chunks } from "../chunks.js";
import { comparedFields, type ReportOptions, settingChanges, sideName } from "../facts.js";
import { changesText } from "./changes.js";

export interface TextOptions extends ReportOptions {
  /** Changes of each kind that are shown; Infinity for all. */
  limit: number;
  paint: Paint;
}

export function textReport(diff: Diff, options: TextOptions): AsyncGenerator<string> {
  return chunks(parts(diff, options));
}

async function* parts(diff: Diff, { limit, paint, exceeded = [], filter = {} }: TextOptions) {
  yield sides(diff, paint);
  yield `\n${totals(diff, paint)}`;
  if (exceeded.length > 0) yield "\n";
  for (const sentence of exceeded) yield `${paint(["bold", "red"], "gate exceeded")}  ${visible(sentence)}\n`;
  const fields = comparedFields(filter, visible);
  if (fields !== undefined) yield `\n${paint("dim", "compared")}  ${fields}\n`;
  const settings = settingChanges(diff);
  if (settings.length > 0) {
    const parts = settings.map(({ name, old, new: now }) => `${name} ${visible(old)} -> ${visible(now)}`);
    yield `\n${paint("dim", "settings")}  ${parts.join(", ")}\n`;
  }
  if (diff.fields.size > 0) yield table("fields changed", [...diff.fields], paint);
  const moves = diff.flow.map(({ from, to, count }) => [`${from} -> ${to}`, count] as const);
  if (moves.length > 0) yield table("kyc_status", moves, paint);
  yield* changesText(diff, limit, paint);
}

/** The two snapshots, one below the other. */
function sides(diff: Diff, paint: Paint): string {
  const name = (side: SideFacts) => visible(sideName(side));
  const width = Math.max(name(diff.old).length, name(diff.new).length);
  const line = (word: string, side: SideFacts) => {
    const head = `${paint("dim", word)}  ${paint("bold", name(side))}${" ".repeat(width - name(side).length)}`;
    return `${head}    ${count(side.count, "user")}, ${count(side.pages, "page")}\n`;
  };
  return line("old", diff.old) + line("new", diff.new);
}

function totals(diff: Diff, paint: Paint): string {
  const { added, removed, changed, unchanged } = diff;
  if (added + removed + changed === 0)
    return unchanged === 0 ? "No changes: both are empty.\n" : `No changes in ${count(unchanged, "user")}.\n`;
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

/** Names and their numbers of users in two aligned columns. */
function table(title: string, rows: readonly (readonly [name: string, users: number])[], paint: Paint): string {
  const width = Math.max(...rows.map(([name]) => visible(name).length));
  const digits = Math.max(...rows.map(([, users]) => number(users).length));
  const lines = rows.map(([name, users]) => `  ${visible(name).padEnd(width)}  ${number(users).padStart(digits)}\n`);
  return `\n${paint("bold", title)}\n${lines.join("")}`;
}
