/** The changes in the Markdown form: folded tables with as many rows as there is room for. */
import type { User } from "../../contract/user.js";
import type { Change, Diff } from "../../diff/change.js";
import { number } from "../../print/numbers.js";
import { excerpts, joined } from "../excerpt.js";
import { CHANGE_KINDS, type ChangeKind, firstChanges } from "../facts.js";
import { nameOf } from "../value.js";
import { code, markdownRow, markdownTable, span } from "./cells.js";

/** At most `limit` changes of each kind in at most `room` characters, and how many were left out. */
export async function* detailsMarkdown(diff: Diff, limit: number, room: number): AsyncGenerator<string> {
  const kinds = CHANGE_KINDS.filter((kind) => diff[kind] > 0);
  const rows: string[][] = [];
  for (const kind of kinds) rows.push(await firstRows(diff, kind, limit, room));
  const frames = kinds.map((kind) => opening(kind, diff[kind]) + CLOSING + leftOut(kind, diff[kind], true));
  const needs = rows.map((texts) => texts.join("").length);
  const shares = share(needs, room - frames.join("").length);
  for (const [at, kind] of kinds.entries()) {
    yield section(kind, diff[kind], fitting(rows[at] ?? [], shares[at] ?? 0));
  }
}

/** The first rows of a kind: as many as would fit if it were the only kind, and one more. */
async function firstRows(diff: Diff, kind: ChangeKind, limit: number, room: number): Promise<string[]> {
  const rows: string[] = [];
  let length = 0;
  for await (const change of firstChanges(diff, kind, limit)) {
    const text = changeRows(change);
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

function fitting(rows: readonly string[], room: number): string[] {
  let used = 0;
  const end = rows.findIndex(({ length }) => {
    used += length;
    return used > room;
  });
  return rows.slice(0, end === -1 ? rows.length : end);
}

function section(kind: ChangeKind, total: number, shown: readonly string[]): string {
  const rest = total - shown.length;
  const note = rest > 0 ? leftOut(kind, rest, shown.length > 0) : "";
  return shown.length === 0 ? note : opening(kind, total) + shown.join("") + CLOSING + note;
}

function opening(kind: ChangeKind, total: number): string {
  const titles = kind === "changed" ? ["user", "field", "old", "new"] : ["user", "`kyc_status`", "joined"];
  const aligned = titles.map(() => "---");
  return `\n<details>\n<summary>${number(total)} ${kind}</summary>\n${markdownTable(titles, aligned, [])}`;
}

const CLOSING = "\n</details>\n";

function leftOut(kind: ChangeKind, rest: number, isMore: boolean): string {
  const users = `${number(rest)} ${isMore ? "more " : ""}${kind} ${rest === 1 ? "user is" : "users are"}`;
  return `\n${users} not shown here; \`rollcall diff --all\` shows every one.\n`;
}

/** One row, or for a changed user one row for each field. */
function changeRows(change: Change): string {
  if (change.kind !== "changed") {
    const user = change.record as User;
    return markdownRow(who(user), code(user.kyc_status), code(user.date_joined.slice(0, 10)));
  }
  const rows = change.fields.map(({ path, old, new: now }, at) => {
    const [before, after] = excerpts(path, old, now);
    return markdownRow(at === 0 ? who(change.new as User) : "", code(path), span(joined(before)), span(joined(after)));
  });
  return rows.join("");
}

function who(user: User): string {
  const name = nameOf(user);
  return (name === "" ? "" : `${code(JSON.stringify(name))}<br>`) + code(user.id);
}
