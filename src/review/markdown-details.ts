/** The changes themselves in the Markdown form: folded tables, as many rows as there is room for. */
import type { User } from "../contract/user.js";
import type { Change, Diff } from "../diff/change.js";
import { number } from "../print/numbers.js";
import { excerpts, joined } from "./excerpt.js";
import { firstOfEachKind, KINDS, type Kind } from "./kinds.js";
import { code, row, span, table } from "./markdown-cells.js";
import { nameOf } from "./value.js";

/** No change takes fewer characters: its id alone has 36. */
const SHORTEST_ROW = 60;

/** At most `limit` changes of each kind in at most `room` characters, and a word on what was left out. */
export async function* detailsMarkdown(diff: Diff, limit: number, room: number): AsyncGenerator<string> {
  const rows = await firstRows(diff, limit, room);
  const kinds = KINDS.filter((kind) => diff[kind] > 0);
  const frames = kinds.map(
    (kind) => (opening(kind, diff[kind]) + CLOSING + leftOut(kind, diff[kind], true)).length,
  );
  const shares = share(
    kinds.map((kind) => sum(rows[kind].map(({ length }) => length))),
    room - sum(frames),
  );
  for (const [at, kind] of kinds.entries()) {
    yield section(kind, diff[kind], fitting(rows[kind], shares[at] ?? 0));
  }
}

/** Never much more than what could be shown of any one kind. */
async function firstRows(diff: Diff, limit: number, room: number): Promise<Record<Kind, string[]>> {
  const rows: Record<Kind, string[]> = { added: [], removed: [], changed: [] };
  const lengths = { added: 0, removed: 0, changed: 0 };
  for await (const change of firstOfEachKind(diff, Math.min(limit, Math.floor(room / SHORTEST_ROW)))) {
    const { kind } = change;
    if (lengths[kind] > room) continue;
    const text = changeRows(change);
    rows[kind].push(text);
    lengths[kind] += text.length;
  }
  return rows;
}

/** Divides `room` so that each gets what it needs or as much as any other. */
function share(needs: readonly number[], room: number): number[] {
  const shares = needs.map(() => 0);
  const smallestFirst = [...needs.entries()].sort(([, one], [, other]) => one - other);
  for (const [done, [at, need]] of smallestFirst.entries()) {
    shares[at] = Math.min(need, Math.floor(room / (needs.length - done)));
    room -= shares[at];
  }
  return shares;
}

/** The first rows that are no longer than `room` together. */
function fitting(rows: readonly string[], room: number): string[] {
  let used = 0;
  const end = rows.findIndex(({ length }) => {
    used += length;
    return used > room;
  });
  return rows.slice(0, end === -1 ? rows.length : end);
}

function section(kind: Kind, total: number, shown: readonly string[]): string {
  const rest = total - shown.length;
  const note = rest > 0 ? leftOut(kind, rest, shown.length > 0) : "";
  return shown.length === 0 ? note : opening(kind, total) + shown.join("") + CLOSING + note;
}

const COLUMNS = {
  added: ["user", "`kyc_status`", "joined"],
  removed: ["user", "`kyc_status`", "joined"],
  changed: ["user", "field", "old", "new"],
} as const;

function opening(kind: Kind, total: number): string {
  const titles = COLUMNS[kind];
  const aligned = titles.map(() => "---");
  return `\n<details>\n<summary>${number(total)} ${kind}</summary>\n${table(titles, aligned, [])}`;
}

const CLOSING = "\n</details>\n";

function leftOut(kind: Kind, rest: number, isMore: boolean): string {
  const users = `${number(rest)} ${isMore ? "more " : ""}${kind} ${rest === 1 ? "user is" : "users are"}`;
  return `\n${users} not shown here; \`rollcall diff --all\` shows every one.\n`;
}

/** A row, or one for each field that changed. */
function changeRows(change: Change): string {
  if (change.kind !== "changed") {
    const { user } = change;
    return row(who(user), code(user.kyc_status), code(user.date_joined.slice(0, 10)));
  }
  const rows = change.fields.map(({ path, old, new: now }, at) => {
    const [before, after] = excerpts(path, old, now);
    return row(at === 0 ? who(change.new) : "", code(path), span(joined(before)), span(joined(after)));
  });
  return rows.join("");
}

function who(user: User): string {
  const name = nameOf(user);
  return (name === "" ? "" : `${code(JSON.stringify(name))}<br>`) + code(user.id);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
