/** `--format markdown`: a diff as a comment in a pull request, never longer than GitHub allows. */
import type { Diff, FieldFilter, Flow, SideFacts } from "../../diff/change.js";
import { number, type Words } from "../../print/numbers.js";
import { contractChanges, contractExcerpts, otherKey } from "../contract.js";
import { joined } from "../excerpt.js";
import { CHANGE_KINDS, comparedFields, movesByFacet, type ReportOptions, settingChanges, sideName } from "../facts.js";
import { inQuotes, type Subject, subjectOf } from "../subject.js";
import { writePath } from "../value.js";
import { code, counted, fitting, markdownRow, markdownTable, span, word } from "./cells.js";
import { detailsMarkdown } from "./details.js";

/** GitHub allows 65,536 characters, and there are never more of them than UTF-16 units. */
const LONGEST_COMMENT = 65_000;
/** Characters for the gates, what changed in the contract, the fields, and the moves of all facets. */
const ROOM = { gates: 16_000, contract: 8000, fields: 8000, facets: 8000 };

/** @param options.limit the most changes of each kind; as many as fit unless given. */
export async function* markdownReport(diff: Diff, options: ReportOptions & { limit?: number } = {}) {
  const { limit = Number.POSITIVE_INFINITY, exceeded = [], filter = {} } = options;
  const subject = subjectOf(diff.new.contract);
  const facets = movesByFacet(diff);
  const head = [
    `### Rollcall: ${headline(diff, subject)}\n`,
    sides(diff, subject),
    contract(diff),
    totals(diff),
    gates(exceeded),
    fieldsCompared(filter),
    settings(diff),
    fields(diff, subject),
    ...[...facets].map(([path, moves]) => movesOf(path, moves, subject, ROOM.facets / facets.size)),
  ].join("");
  yield head;
  yield* detailsMarkdown(diff, limit, LONGEST_COMMENT - head.length);
}

/** `3 stations added, 1 removed` */
function headline(diff: Diff, { words }: Subject): string {
  const [first, ...kinds] = CHANGE_KINDS.filter((kind) => diff[kind] > 0);
  const contract = diff.contract ? "contract changed, " : "";
  if (!first) return diff.contract ? "contract changed, no changes of records" : "no changes";
  const others = kinds.map((kind) => `${number(diff[kind])} ${kind}`);
  return contract + [`${counted(diff[first], words)} ${first}`, ...others].join(", ");
}

function sides({ old, new: now }: Diff, { words: [, many] }: Subject): string {
  const line = (label: string, side: SideFacts) =>
    markdownRow(label, code(sideName(side)), number(side.count), number(side.pages));
  const rows = [line("old", old), line("new", now)];
  return markdownTable(["", "snapshot", word(many), "pages"], ["---", "---", "---:", "---:"], rows);
}

/** A row for each difference; what came or went has no values. */
function contract(diff: Diff): string {
  if (diff.contract === undefined) return "";
  const rows = contractChanges(diff).map(({ kind, before, name, after, values }) => {
    const what = [before && word(before), code(name), after && code(after)].filter((part) => part !== undefined);
    const [old, now] = values ? contractExcerpts(values).map((side) => span(joined(side))) : [];
    return markdownRow(what.join(" "), old ?? "", now ?? kind);
  });
  const { shown, rest } = fitting(rows, ROOM.contract);
  const key = otherKey(diff, code);
  const notes = [...(rest > 0 ? [`${number(rest)} more are not shown here.`] : []), ...(key ? [key] : [])];
  const table = markdownTable(["contract changed", "old", "new"], ["---", "---", "---"], shown);
  return table + notes.map((note) => `\n${note}\n`).join("");
}

function totals(diff: Diff): string {
  const words = [...CHANGE_KINDS, "unchanged"] as const;
  const right = words.map(() => "---:");
  return markdownTable(words, right, [markdownRow(...words.map((word) => number(diff[word])))]);
}

function gates(exceeded: readonly string[]): string {
  if (exceeded.length === 0) return "";
  const { shown, rest } = fitting(
    exceeded.map((sentence) => `- ${code(sentence)}\n`),
    ROOM.gates,
  );
  return `\n**Gate exceeded**\n\n${shown.join("")}${rest > 0 ? `- and ${number(rest)} more\n` : ""}`;
}

function fieldsCompared(filter: FieldFilter): string {
  const text = comparedFields(filter, code);
  return text === undefined ? "" : `\n**Compared:** ${text}\n`;
}

function settings(diff: Diff): string {
  const changes = settingChanges(diff);
  if (changes.length === 0) return "";
  const words = changes.map(({ name, old, new: now }) => `${name} ${code(old)} → ${code(now)}`);
  return `\n**Settings:** ${words.join(", ")}\n`;
}

function fields({ fields }: Diff, { words }: Subject): string {
  const rows = [...fields].map(([path, records]) => markdownRow(code(writePath(path)), number(records)));
  return figures("field changed", words, rows, ROOM.fields);
}

/** How many records went from one value of a facet to another. */
function movesOf(path: string, moves: readonly Flow[], { words, write }: Subject, room: number): string {
  const value = (side: unknown) => code(inQuotes(write(path, side)));
  const rows = moves.map(({ from, to, count }) => markdownRow(`${value(from)} → ${value(to)}`, number(count)));
  return figures(code(writePath(path)), words, rows, room);
}

function figures(title: string, [, many]: Exclude<Words, string>, rows: readonly string[], room: number): string {
  if (rows.length === 0) return "";
  const { shown, rest } = fitting(rows, room);
  const note = rest > 0 ? `\n${number(rest)} rarer ones are not shown here.\n` : "";
  return markdownTable([title, word(many)], ["---", "---:"], shown) + note;
}
