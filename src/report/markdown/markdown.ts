/** `--format markdown`: a diff as a comment in a pull request, never longer than GitHub allows. */
import type { Diff, FieldFilter, SideFacts } from "../../diff/change.js";
import { count, number } from "../../print/numbers.js";
import { CHANGE_KINDS, comparedFields, type ReportOptions, settingChanges, sideName } from "../facts.js";
import { code, markdownRow, markdownTable } from "./cells.js";
import { detailsMarkdown } from "./details.js";

/** GitHub allows 65,536 characters, and there are never more of them than UTF-16 units. */
const LONGEST_COMMENT = 65_000;
/** More than there are fields, and so gates. */
const MOST_SENTENCES = 40;

/** @param options.limit the most changes of each kind; as many as fit unless given. */
export async function* markdownReport(diff: Diff, options: ReportOptions & { limit?: number } = {}) {
  const { limit = Number.POSITIVE_INFINITY, exceeded = [], filter = {} } = options;
  const head = [
    `### Rollcall: ${headline(diff)}\n`,
    sides(diff),
    totals(diff),
    gates(exceeded),
    fieldsCompared(filter),
    settings(diff),
    counted(
      "field changed",
      [...diff.fields].map(([path, users]) => [code(path), users]),
    ),
    counted(
      "`kyc_status`",
      diff.flow.map(({ from, to, count }) => [`${code(String(from))} → ${code(String(to))}`, count]),
    ),
  ].join("");
  yield head;
  yield* detailsMarkdown(diff, limit, LONGEST_COMMENT - head.length);
}

/** `3 users added, 1 removed` */
function headline(diff: Diff): string {
  const [first, ...others] = CHANGE_KINDS.filter((kind) => diff[kind] > 0);
  if (!first) return "no changes";
  return [`${count(diff[first], "user")} ${first}`, ...others.map((kind) => `${number(diff[kind])} ${kind}`)].join(
    ", ",
  );
}

function sides({ old, new: now }: Diff): string {
  const line = (word: string, side: SideFacts) =>
    markdownRow(word, code(sideName(side)), number(side.count), number(side.pages));
  const rows = [line("old", old), line("new", now)];
  return markdownTable(["", "snapshot", "users", "pages"], ["---", "---", "---:", "---:"], rows);
}

function totals(diff: Diff): string {
  const words = [...CHANGE_KINDS, "unchanged"] as const;
  const right = words.map(() => "---:");
  return markdownTable(words, right, [markdownRow(...words.map((word) => number(diff[word])))]);
}

function gates(exceeded: readonly string[]): string {
  if (exceeded.length === 0) return "";
  const items = exceeded.slice(0, MOST_SENTENCES).map((sentence) => `- ${code(sentence)}\n`);
  return `\n**Gate exceeded**\n\n${items.join("")}`;
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

function counted(what: string, figures: readonly (readonly [name: string, users: number])[]): string {
  const rows = figures.map(([name, users]) => markdownRow(name, number(users)));
  return rows.length === 0 ? "" : markdownTable([what, "users"], ["---", "---:"], rows);
}
