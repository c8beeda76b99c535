/** The changes in the Markdown form: folded tables with as many rows as there is room for. */
import type { AnyRecord } from "../../contract/contract.js";
import { recordAddress } from "../../contract/links.js";
import type { Change, Diff } from "../../diff/change.js";
import { number, wordFor } from "../../print/numbers.js";
import { excerpts, joined } from "../excerpt.js";
import { CHANGE_KINDS, type ChangeKind, explorerOf, firstChanges } from "../facts.js";
import { dayOf, factOf, labelOf, type Subject, subjectsOf, timeWord } from "../subject.js";
import { writeId, writePath } from "../value.js";
import { code, fitting, linked, markdownRow, markdownTable, span, word } from "./cells.js";

/** At most `limit` changes of each kind in at most `room` characters, and how many were left out. */
export async function* detailsMarkdown(diff: Diff, limit: number, room: number): AsyncGenerator<string> {
  const kinds = CHANGE_KINDS.filter((kind) => diff[kind] > 0);
  const subjects = subjectsOf(diff);
  const rows: string[][] = [];
  for (const kind of kinds) rows.push(await firstRows(diff, { kind, subject: subjects[kind], limit, room }));
  const frames = kinds.map((kind) => {
    const [total, subject] = [diff[kind], subjects[kind]];
    return opening(kind, total, subject) + CLOSING + leftOut(kind, total, true, subject);
  });
  const needs = rows.map((texts) => texts.join("").length);
  const shares = share(needs, room - frames.join("").length);
  for (const [at, kind] of kinds.entries()) {
    const { shown } = fitting(rows[at] ?? [], shares[at] ?? 0);
    yield section(kind, diff[kind], shown, subjects[kind]);
  }
}

/** The first rows of a kind: as many as would fit if it were the only kind, and one more. */
async function firstRows(
  diff: Diff,
  { kind, subject, limit, room }: { kind: ChangeKind; subject: Subject; limit: number; room: number },
): Promise<string[]> {
  const rows: string[] = [];
  const explorer = explorerOf(diff);
  let length = 0;
  for await (const change of firstChanges(diff, kind, limit)) {
    const text = changeRows(change, subject, explorer);
    rows.push(text);
    length += text.length;
    if (length > room) break;
  }
  return rows;
}

/** Divides `room` evenly, except that none gets more than it needs. */
function share(needs: readonly number[], room: number): number[] {
  const shares = needs.map(() => 0);
  const smallestFirst = [...needs.entries()].sort(([, one], [, other]) => one - other);
  for (const [done, [at, need]] of smallestFirst.entries()) {
    shares[at] = Math.min(need, Math.floor(room / (needs.length - done)));
    room -= shares[at];
  }
  return shares;
}

function section(kind: ChangeKind, total: number, shown: readonly string[], subject: Subject): string {
  const rest = total - shown.length;
  const note = rest > 0 ? leftOut(kind, rest, shown.length > 0, subject) : "";
  return shown.length === 0 ? note : opening(kind, total, subject) + shown.join("") + CLOSING + note;
}

function opening(kind: ChangeKind, total: number, { words: [one], facets, time }: Subject): string {
  const facts = [...facets.map(({ path }) => code(writePath(path))), ...(time ? [word(timeWord(time))] : [])];
  const titles = [word(one), ...(kind === "changed" ? ["field", "old", "new"] : facts)];
  const aligned = titles.map(() => "---");
  return `\n<details>\n<summary>${number(total)} ${kind}</summary>\n${markdownTable(titles, aligned, [])}`;
}

const CLOSING = "\n</details>\n";

function leftOut(kind: ChangeKind, rest: number, isMore: boolean, { words }: Subject): string {
  const noun = `${word(wordFor(rest, words))} ${rest === 1 ? "is" : "are"}`;
  const all = `${number(rest)} ${isMore ? "more " : ""}${kind} ${noun}`;
  return `\n${all} not shown here; \`rollcall diff --all\` shows every one.\n`;
}

/** One row, or for a changed record one row for each field. */
function changeRows(change: Change, subject: Subject, explorer: string | undefined): string {
  const who = (record: AnyRecord) => known(change, record, subject, explorer);
  if (change.kind !== "changed") {
    const { record } = change;
    const { facets, time } = subject;
    const facts = facets.map((field) => code(factOf(record, field, subject)));
    return markdownRow(who(record), ...facts, ...(time ? [code(dayOf(record, time))] : []));
  }
  const rows = change.fields.map((field, at) => {
    const [before, after] = excerpts(field, subject);
    const first = at === 0 ? who(change.new) : "";
    return markdownRow(first, code(writePath(field.path)), span(joined(before)), span(joined(after)));
  });
  return rows.join("");
}

/** A record's name and key, the key as a link to the record where it can be looked at. */
function known({ kind, id }: Change, record: AnyRecord, subject: Subject, explorer: string | undefined): string {
  const name = labelOf(record, subject);
  const key = code(writeId(id));
  const isThere = explorer !== undefined && kind !== "removed";
  return (
    (name === "" ? "" : `${code(JSON.stringify(name))}<br>`) +
    (isThere ? linked(key, recordAddress(explorer, id)) : key)
  );
}
