/** `--format text`: a diff for terminals. Totals first, then the first changes of each kind. */
import type { Change, Diff } from "../../core/compare/change.js";
import type { AnyRecord } from "../../core/contract/contract.js";
import { writtenValue } from "../../core/contract/record/value.js";
import { firstOf } from "../../core/print/fit.js";
import { count, number } from "../../core/print/numbers.js";
import type { Paint } from "../../core/print/style.js";
import { visible } from "../../core/print/text.js";
import { chunks } from "./chunks.js";
import type { Excerpt } from "./difference.js";
import { contractExcerpts, excerpts, joined } from "./excerpt.js";
import {
  CHANGE_KINDS,
  comparedFields,
  factOf,
  firstChanges,
  labelOf,
  otherKey,
  type Report,
  type ReportOptions,
  RIGHT_TO_LEFT,
  recordDay,
  reportOf,
  timeWord,
  type Wording,
  writePath,
} from "./model.js";

export interface TextOptions extends ReportOptions {
  /** Maximum changes of each kind; Infinity for all. */
  limit: number;
  paint: Paint;
}

/** Maximum moves of a facet. */
const MOST_MOVES = 100;

/** Writes the report. */
export function textReport(diff: Diff, { limit, paint, ...options }: TextOptions): AsyncGenerator<string> {
  return chunks(parts(reportOf(diff, options), limit, paint));
}

async function* parts(report: Report, limit: number, paint: Paint): AsyncGenerator<string> {
  const { exceeded, filter, settings, fields, facets } = report;
  yield sides(report, paint);
  yield contractText(report, paint);
  yield `\n${totals(report, paint)}`;
  if (exceeded.length > 0) yield "\n";
  for (const sentence of exceeded) yield `${paint(["bold", "red"], "gate exceeded")}  ${visible(sentence)}\n`;
  const compared = comparedFields(filter, visible);
  if (compared !== undefined) yield `\n${paint("dim", "compared")}  ${compared}\n`;
  if (settings.length > 0) {
    const parts = settings.map(({ name, old, new: now }) => `${name} ${visible(old)} -> ${visible(now)}`);
    yield `\n${paint("dim", "settings")}  ${parts.join(", ")}\n`;
  }
  if (fields.length > 0) yield table("fields changed", fields, paint);
  for (const { path, moves } of facets) {
    const rows = moves.slice(0, MOST_MOVES).map(({ from, to, count }) => [`${from} -> ${to}`, count] as const);
    yield table(path, rows, paint);
    if (moves.length > MOST_MOVES) yield `  ... ${number(moves.length - MOST_MOVES)} rarer ones not shown\n`;
  }
  yield* changesText(report, limit, paint);
}

/** Both snapshots, one line each. */
function sides(report: Report, paint: Paint): string {
  const lines = (["old", "new"] as const).map((word) => ({ word, ...report[word], name: visible(report[word].name) }));
  const width = Math.max(...lines.map(({ name }) => name.length));
  return lines
    .map(({ word, name, count: records, pages }) => {
      const head = `${paint("dim", word)}  ${paint("bold", name)}${" ".repeat(width - name.length)}`;
      return `${head}    ${visible(count(records, report.words))}, ${count(pages, "page")}\n`;
    })
    .join("");
}

function totals({ diff, differing, words }: Report, paint: Paint): string {
  const { added, removed, changed, unchanged } = diff;
  if (differing === 0)
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

/** A table of names and numbers of records. */
function table(title: string, rows: Report["fields"], paint: Paint): string {
  const width = Math.max(...rows.map(([name]) => visible(name).length));
  const digits = Math.max(...rows.map(([, records]) => number(records).length));
  const lines = rows.map(
    ([name, records]) => `  ${visible(name).padEnd(width)}  ${number(records).padStart(digits)}\n`,
  );
  return `\n${paint("bold", visible(title))}\n${lines.join("")}`;
}

/**
 * For each kind of change: a heading, the first `limit` changes, and the number of the others.
 * @param more how to show all of them.
 */
export async function* changesText(
  { diff, wordings }: Report,
  limit: number,
  paint: Paint,
  more = "; --all shows every one",
): AsyncGenerator<string> {
  for (const kind of CHANGE_KINDS) {
    const total = diff[kind];
    if (total === 0) continue;
    yield `\n${paint("bold", `${kind} (${number(total)})`)}\n`;
    for await (const change of firstChanges(diff, kind, limit)) yield changeText(change, wordings[kind], paint);
    if (total > limit) yield `  ... ${number(total - limit)} not shown${more}\n`;
  }
}

/** Maximum changes of the contract. */
const MOST_LINES = 100;

/** The changes of the contract, a line each; empty without any. */
export function contractText({ contract }: Report, paint: Paint): string {
  if (contract === undefined) return "";
  const { changes } = contract;
  const lines = changes.slice(0, MOST_LINES).map(({ kind, before, name, after, values }) => {
    const [color, sign] = SIGNS[kind];
    const what = [before, name, after].filter((part) => part !== undefined).join(" ");
    const head = `  ${paint(color, sign)} ${visible(what)}`;
    return values ? becomes(`${head}: `, contractExcerpts(values), paint) : `${head}\n`;
  });
  const omitted = changes.length - MOST_LINES;
  if (omitted > 0) lines.push(`  ... ${number(omitted)} more\n`);
  const key = otherKey(contract, visible);
  return [`\n${paint("bold", "contract changed")}\n`, ...lines, ...(key ? [`  ${key}\n`] : [])].join("");
}

/** Maximum columns of a key. */
const LONGEST_ID = 200;

const SIGNS = { added: ["green", "+"], removed: ["red", "-"], changed: ["yellow", "~"] } as const;

function changeText(change: Change, wording: Wording, paint: Paint): string {
  const { kind, id } = change;
  const [color, sign] = SIGNS[kind];
  const head = `  ${paint(color, sign)} ${firstOf(writtenValue(id), LONGEST_ID, visible)}`;
  if (kind === "changed") {
    const fields = change.fields.map((field) =>
      becomes(`      ${visible(writePath(field.path))}: `, excerpts(field, wording), paint),
    );
    return `${head}${shownName(change.new, wording, paint)}\n${fields.join("")}`;
  }
  const { record } = change;
  return `${[head, ...facts(record, wording)].join("  ")}${shownName(record, wording, paint)}\n`;
}

/** A record's time and facets: `joined 2026-11-20`, `PENDING`. With several facets, each has its field before it. */
function facts(record: AnyRecord, wording: Wording): string[] {
  const { time, facets } = wording;
  const values = facets.map((field) => {
    const value = factOf(record, field, wording);
    return visible(facets.length === 1 ? value : `${writePath(field.path)} ${value}`);
  });
  return time === undefined ? values : [visible(`${writePath(timeWord(time))} ${recordDay(record, time)}`), ...values];
}

/** A record's name. It is last on its line, where its width or direction cannot move other text. */
function shownName(record: AnyRecord, wording: Wording, paint: Paint): string {
  const name = labelOf(record, wording);
  return name === "" ? "" : `  ${paint("dim", visible(JSON.stringify(name)))}`;
}

const LONGEST_LINE = 110;

/** Both values on one line, or on two if that is too long or has text from right to left. @param name the text before them. */
function becomes(name: string, [before, after]: readonly [Excerpt, Excerpt], paint: Paint): string {
  const plain = `${name}${joined(before)} -> ${joined(after)}`;
  const isApart = plain.length > LONGEST_LINE || RIGHT_TO_LEFT.test(plain);
  const arrow = isApart ? `\n${"-> ".padStart(name.length)}` : " -> ";
  return `${name}${painted(before, "red", paint)}${arrow}${painted(after, "green", paint)}\n`;
}

function painted({ before, middle, after }: Excerpt, color: "red" | "green", paint: Paint): string {
  return before + (middle === "" ? "" : paint(color, middle)) + after;
}
