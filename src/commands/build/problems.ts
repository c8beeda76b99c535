/** What a build prints when it refuses: each kind of problem, then the first single ones, then why it refuses. */

import { count, number, type Words, wordFor } from "../../print/numbers.js";
import type { Paint } from "../../print/style.js";
import { table } from "../../print/table.js";
import { shorten, showValue, visible } from "../../print/text.js";
import type { InvalidRecordsError, Problem, ProblemKind, ProblemReport } from "../../snapshot/problems.js";

/** More kinds are in the JSON. */
const MOST_KINDS = 20;

/** @param words for one and for many records. */
export function describeProblems(
  { count: all, kinds, first }: ProblemReport,
  words: readonly [one: string, many: string],
  paint: Paint,
): string {
  const lines = first.map((problem) => describeProblem(problem, words, paint));
  const rest = all - first.length;
  if (rest > 0) lines.push(`and ${number(rest)} more`);
  return [describeKinds(kinds, words, paint), lines.join("\n")].join("\n\n");
}

/** Where a value of the table is cut: the single problems have more of it. */
const WIDEST = { path: 50, rule: 20, value: 40, message: 80 };

/** A table of how many records have a problem of each kind, with one example. */
function describeKinds(kinds: readonly ProblemKind[], [, many]: readonly [string, string], paint: Paint): string {
  const heads = [
    [many, "right"],
    ["field", "left"],
    ["rule", "left"],
    ["example", "left"],
  ] as const;
  const rows = kinds
    .slice(0, MOST_KINDS)
    .map(({ path, rule, records, example }) => [
      number(records),
      paint("bold", visible(shorten(path, WIDEST.path))),
      visible(shorten(rule, WIDEST.rule)),
      `${showId(example.id)}: ${showValue(example.value, WIDEST.value)} ${visible(shorten(example.message, WIDEST.message))}`,
    ]);
  const rest = kinds.length - rows.length;
  const columns = heads.map(([title, align]) => [paint("dim", visible(title)), align] as const);
  return table(columns, rows) + (rest > 0 ? `\nand ${count(rest, "kind")} more` : "");
}

function describeProblem(
  { id, path, value, message }: Problem,
  [one]: readonly [string, string],
  paint: Paint,
): string {
  const head = `${paint("dim", visible(one))} ${showId(id)}`;
  return `${head}: ${paint("bold", visible(path))} ${showValue(value)} ${visible(message)}`;
}

/**
 * The last line of a refusal. With `skipInvalid`, a build refuses only when no record is valid.
 * @param outcome what that means for what was published.
 */
export function describeRefusal(
  { problems, total }: InvalidRecordsError,
  words: Words,
  { skipInvalid, problems: file }: { skipInvalid: boolean; problems?: string | undefined },
  outcome = "nothing was published and current is unchanged",
): string {
  const one = problems.records === 1;
  const found = `${number(problems.records)} of ${count(total, words)} ${one ? "is" : "are"} invalid`;
  const why = skipInvalid
    ? `without them no ${wordFor(1, words)} is left to publish, so ${outcome}.`
    : `${outcome}. Mend ${one ? "it, or leave it" : "them, or leave them"} out with --skip-invalid.`;
  const where = file === undefined ? "--problems FILE writes every problem." : `Every problem is in ${file}.`;
  return `${found}, with ${count(problems.count, "problem")}: ${why} ${where}`;
}

/** A plain id as it is, any other in quotes: an empty one, or one with spaces, would be unclear. */
function showId(id: unknown): string {
  return typeof id === "string" && /^[\w.-]{1,60}$/.test(id) ? id : showValue(id);
}
