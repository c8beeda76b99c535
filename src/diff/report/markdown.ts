/** `--format markdown`: a diff as a comment of a pull request, within GitHub's length limit. */
import type { Change, Diff } from "../../core/compare/change.js";
import type { AnyRecord } from "../../core/contract/contract.js";
import { recordAddress } from "../../core/contract/links.js";
import { writtenValue } from "../../core/contract/record/value.js";
import { firstOf } from "../../core/print/fit.js";
import { number, wordFor } from "../../core/print/numbers.js";
import { visible } from "../../core/print/text.js";
import { contractExcerpts, excerpts, joined } from "./excerpt.js";
import {
  CHANGE_KINDS,
  type ChangeKind,
  comparedFields,
  factOf,
  firstChanges,
  labelOf,
  laterExplorer,
  otherKey,
  type Report,
  type ReportOptions,
  RIGHT_TO_LEFT,
  recordDay,
  reportOf,
  timeWord,
  writePath,
} from "./model.js";

/** Maximum UTF-16 units. GitHub allows 65,536 characters. */
export const LONGEST_COMMENT = 65_000;
/** Maximum characters for gates, changes of the contract, fields, and moves of all facets. */
const ROOM = { gates: 16_000, contract: 8000, fields: 8000, facets: 8000 };

/**
 * Writes the report.
 * @param options.limit maximum changes of each kind; as many as fit by default.
 * @param options.room maximum length, unless all but the changes is longer.
 */
export async function* markdownReport(diff: Diff, options: ReportOptions & { limit?: number; room?: number } = {}) {
  const { limit = Number.POSITIVE_INFINITY, room = LONGEST_COMMENT, ...others } = options;
  const report = reportOf(diff, others);
  const { fields, facets, words } = report;
  const head = [
    `### Rollcall: ${headline(report)}\n`,
    sides(report),
    contract(report),
    totals(report),
    gates(report),
    fieldsCompared(report),
    settings(report),
    unpublished(report),
  ].join("");
  const tables = [
    figures(
      "field changed",
      words,
      fields.map(([path, records]) => row(code(path), number(records))),
      ROOM.fields,
    ),
    ...facets.map(({ path, moves }) => {
      const rows = moves.map(({ from, to, count }) => row(`${code(from)} → ${code(to)}`, number(count)));
      return figures(code(path), words, rows, ROOM.facets / facets.length);
    }),
  ].join("");
  const list = details(report, limit, room - head.length - tables.length);
  yield head;
  if (report.isShort) {
    yield* list;
    yield tables;
  } else {
    yield tables;
    yield* list;
  }
}

/** The title: `3 stations added, 1 removed`. */
function headline({ diff, words }: Report): string {
  const [first, ...kinds] = CHANGE_KINDS.filter((kind) => diff[kind] > 0);
  if (!first) return diff.contract ? "contract changed, no changes of records" : "no changes";
  const records = [
    `${number(diff[first])} ${word(wordFor(diff[first], words))} ${first}`,
    ...kinds.map((kind) => `${number(diff[kind])} ${kind}`),
  ];
  return [...(diff.contract ? ["contract changed"] : []), ...records].join(", ");
}

function sides(report: Report): string {
  const rows = (["old", "new"] as const).map((label) => {
    const { name, count, pages } = report[label];
    return row(label, code(name), number(count), number(pages));
  });
  return table(["", "snapshot", word(report.words[1]), "pages"], ["---", "---", "---:", "---:"], rows);
}

/** A row for each change of the contract; added and removed fields have no values. */
function contract({ contract }: Report): string {
  if (contract === undefined) return "";
  const rows = contract.changes.map(({ kind, before, name, after, values }) => {
    const what = [before && word(before), code(name), after && code(after)].filter((part) => part !== undefined);
    const [old, now] = values ? contractExcerpts(values).map((side) => span(joined(side))) : [];
    return row(what.join(" "), old ?? "", now ?? kind);
  });
  const { shown, omitted } = fittingRows(rows, ROOM.contract);
  const key = otherKey(contract, code);
  const notes = [...(omitted > 0 ? [`${number(omitted)} more are not shown here.`] : []), ...(key ? [key] : [])];
  const changed = table(["contract changed", "old", "new"], ["---", "---", "---"], shown);
  return changed + notes.map((note) => `\n${note}\n`).join("");
}

function totals({ diff }: Report): string {
  const words = [...CHANGE_KINDS, "unchanged"] as const;
  const right = words.map(() => "---:");
  return table(words, right, [row(...words.map((word) => number(diff[word])))]);
}

function gates({ exceeded }: Report): string {
  if (exceeded.length === 0) return "";
  const { shown, omitted } = fittingRows(
    exceeded.map((sentence) => `- ${code(sentence)}\n`),
    ROOM.gates,
  );
  return `\n**Gate exceeded**\n\n${shown.join("")}${omitted > 0 ? `- and ${number(omitted)} more\n` : ""}`;
}

function fieldsCompared({ filter }: Report): string {
  const text = comparedFields(filter, code);
  return text === undefined ? "" : `\n**Compared:** ${text}\n`;
}

function settings({ settings }: Report): string {
  if (settings.length === 0) return "";
  const words = settings.map(({ name, old, new: now }) => `${name} ${code(old)} → ${code(now)}`);
  return `\n**Settings:** ${words.join(", ")}\n`;
}

function unpublished(report: Report): string {
  const text = laterExplorer(report, word);
  return text === undefined ? "" : `\n${text}\n`;
}

function figures(title: string, [, many]: Report["words"], rows: readonly string[], room: number): string {
  if (rows.length === 0) return "";
  const { shown, omitted } = fittingRows(rows, room);
  const note = omitted > 0 ? `\n${number(omitted)} rarer ones are not shown here.\n` : "";
  return table([title, word(many)], ["---", "---:"], shown) + note;
}

/** Folded tables with at most `limit` changes of each kind in at most `room` characters, and the number of omitted ones. */
async function* details(report: Report, limit: number, room: number): AsyncGenerator<string> {
  const { diff } = report;
  const kinds = CHANGE_KINDS.filter((kind) => diff[kind] > 0);
  const rows: string[][] = [];
  for (const kind of kinds) rows.push(await firstRows(report, kind, limit, room));
  const frames = kinds.map((kind) => opening(report, kind) + CLOSING + leftOut(report, kind, diff[kind], true));
  const needs = rows.map((texts) => texts.join("").length);
  const shares = share(needs, room - frames.join("").length);
  for (const [at, kind] of kinds.entries()) {
    const { shown } = fittingRows(rows[at] ?? [], shares[at] ?? 0);
    const omitted = diff[kind] - shown.length;
    if (shown.length > 0) yield opening(report, kind) + shown.join("") + CLOSING;
    if (omitted > 0) yield leftOut(report, kind, omitted, shown.length > 0);
  }
}

/** The first rows of a kind: one more than would fit if it were the only kind. */
async function firstRows(report: Report, kind: ChangeKind, limit: number, room: number): Promise<string[]> {
  const rows: string[] = [];
  let length = 0;
  for await (const change of firstChanges(report.diff, kind, limit)) {
    const text = changeRows(change, report);
    rows.push(text);
    length += text.length;
    if (length > room) break;
  }
  return rows;
}

/** Divides `room` evenly, but gives none more than it needs. */
function share(needs: readonly number[], room: number): number[] {
  const shares = needs.map(() => 0);
  const smallestFirst = [...needs.entries()].sort(([, one], [, other]) => one - other);
  for (const [done, [at, need]] of smallestFirst.entries()) {
    shares[at] = Math.min(need, Math.floor(room / (needs.length - done)));
    room -= shares[at];
  }
  return shares;
}

function opening({ diff, wordings }: Report, kind: ChangeKind): string {
  const { words, facets, time } = wordings[kind];
  const facts = [...facets.map(({ path }) => code(writePath(path))), ...(time ? [word(timeWord(time))] : [])];
  const titles = [word(words[0]), ...(kind === "changed" ? ["field", "old", "new"] : facts)];
  const aligned = titles.map(() => "---");
  return `\n<details>\n<summary>${number(diff[kind])} ${kind}</summary>\n${table(titles, aligned, [])}`;
}

const CLOSING = "\n</details>\n";

function leftOut({ wordings }: Report, kind: ChangeKind, omitted: number, isMore: boolean): string {
  const noun = `${word(wordFor(omitted, wordings[kind].words))} ${omitted === 1 ? "is" : "are"}`;
  const all = `${number(omitted)} ${isMore ? "more " : ""}${kind} ${noun}`;
  return `\n${all} not shown here; \`rollcall diff --all\` shows every one.\n`;
}

/** The rows of a change: one, or one per field of a changed record. */
function changeRows(change: Change, report: Report): string {
  const wording = report.wordings[change.kind];
  if (change.kind !== "changed") {
    const { record } = change;
    const { facets, time } = wording;
    const facts = facets.map((field) => code(factOf(record, field, wording)));
    return row(recordCell(change, record, report), ...facts, ...(time ? [code(recordDay(record, time))] : []));
  }
  const rows = change.fields.map((field, at) => {
    const [before, after] = excerpts(field, wording);
    const first = at === 0 ? recordCell(change, change.new, report) : "";
    return row(first, code(writePath(field.path)), span(joined(before)), span(joined(after)));
  });
  return rows.join("");
}

/** A record's name and key. The key is a link to the explorer, if there is one. */
function recordCell({ kind, id }: Change, record: AnyRecord, { wordings, explorer }: Report): string {
  const name = labelOf(record, wordings[kind]);
  const key = code(writtenValue(id));
  const isThere = explorer !== undefined && kind !== "removed";
  return (
    (name === "" ? "" : `${code(JSON.stringify(name))}<br>`) +
    (isThere ? linked(key, recordAddress(explorer, id)) : key)
  );
}

/*
 * All text of records is put into code spans. There, renderers ignore emphasis, links, images, HTML and entities, and GitHub
 * ignores mentions, issue numbers, commits, addresses and emoji. Two characters can end a code span early: a backtick, and the
 * `|` that ends a table cell.
 */

const LONGEST = 200;

/** Any text as a code span, cut to a length that fits a table. */
function code(text: string): string {
  return span(firstOf(text, LONGEST, visible));
}

/** A code span of text that is already cut and escaped for printing, such as an excerpt. */
function span(text: string): string {
  // In a table's code span, `\|` means `|`. Renderers disagree about `\\|`, so after a backslash `|` is written as a JSON
  // escape; so is a backtick, everywhere.
  const escaped = text.replaceAll("`", "\\u0060").replace(/(?<=\\)\|/g, "\\u007c");
  return `\`${escaped.replaceAll("|", "\\|") || " "}\``;
}

/** Longer addresses would fill the comment. */
const LONGEST_ADDRESS = 2000;

/** Markdown as a link. @param address as `URL.href` and `recordAddress` write it, in which `|` is what could still end a cell. */
function linked(markdown: string, address: string): string {
  return address.length > LONGEST_ADDRESS ? markdown : `[${markdown}](<${address.replaceAll("|", "%7C")}>)`;
}

/** Words of letters only, in which renderers find no markup, links or mentions. */
const PLAIN = /^[\p{L}\p{M}]+(?: [\p{L}\p{M}]+)*$/u;

/** A contract's word as text, or as a code span if it could be markup, or is written from right to left. */
function word(text: string): string {
  return PLAIN.test(text) && text.length <= LONGEST && !RIGHT_TO_LEFT.test(text) ? text : code(text);
}

/** The first rows that fit into `room` characters, and the number of the others. */
function fittingRows(rows: readonly string[], room: number): { shown: readonly string[]; omitted: number } {
  let used = 0;
  const end = rows.findIndex(({ length }) => {
    used += length;
    return used > room;
  });
  const shown = rows.slice(0, end === -1 ? rows.length : end);
  return { shown, omitted: rows.length - shown.length };
}

/** A row of a table. @param cells Markdown */
function row(...cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |\n`;
}

/** @param aligned `---` or `---:` for each column. */
function table(titles: readonly string[], aligned: readonly string[], rows: readonly string[]): string {
  return `\n${row(...titles)}${row(...aligned)}${rows.join("")}`;
}
