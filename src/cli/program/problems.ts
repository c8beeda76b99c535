/** Prints invalid records: each kind of problem, the first single problems, and the reason of the refusal. */
import type { InvalidRecordsError, Problem, ProblemKind } from "../../build/problems.js";
import { quoteName } from "../../core/contract/sql.js";
import { readText, UserError } from "../../core/errors.js";
import { count, number, wordFor } from "../../core/print/numbers.js";
import { type Paint, painter } from "../../core/print/style.js";
import { table } from "../../core/print/table.js";
import { shorten, showValue, toJson, visible } from "../../core/print/text.js";
import { type Io, print, say } from "./verb.js";

/** Maximum number of kinds in text; `--json` has all. */
const MOST_KINDS = 20;
/** Maximum number of single problems in text; `--problems FILE` has all. */
const MOST_PROBLEMS = 5;

interface ToRefuse {
  /** The file that every problem was written to. */
  problems?: string | undefined;
  /** The contract's file, if it is one of the user's own. */
  contract?: unknown;
  /** The path of the query, if one is read. */
  query?: unknown;
  /** The settings of the listings of a site, by name. */
  listings?: Readonly<Record<string, Readonly<Record<string, unknown>>>> | undefined;
  json?: boolean | undefined;
}

/**
 * Prints the problems, as JSON with `json`.
 * @param outcome what was not done: `nothing was published`.
 * @returns the error for the last line.
 */
export function refuseInvalid(error: InvalidRecordsError, settings: ToRefuse, io: Io, outcome: string): UserError {
  const message = describeRefusal(error, settings, outcome);
  if (settings.json) print(io, toJson({ error: message, problems: error.problems }));
  else say(io, describeProblems(error, painter(io.stderr, io.env)));
  return new UserError(message, { cause: error });
}

function describeProblems({ problems, words }: InvalidRecordsError, paint: Paint): string {
  const { count: all, kinds, first } = problems;
  const shown = first.slice(0, MOST_PROBLEMS);
  const lines = shown.map((problem) => describeProblem(problem, words, paint));
  const rest = all - shown.length;
  if (rest > 0) lines.push(`and ${number(rest)} more`);
  return [describeKinds(kinds, words, paint), lines.join("\n")].join("\n\n");
}

/** Maximum characters of the cells in the table of kinds. */
const WIDEST = { path: 50, rule: 20, value: 40, message: 80 };

/** A table of kinds of problems: number of records, and one example. */
function describeKinds(kinds: readonly ProblemKind[], [, many]: readonly [string, string], paint: Paint): string {
  const heads = [
    [many, "right"],
    ["field", "left"],
    ["rule", "left"],
    ["example", "left"],
  ] as const;
  const rows = kinds
    .slice(0, MOST_KINDS)
    .map(({ path, listing, rule, records, example }) => [
      number(records),
      paint("bold", visible(shorten(placeOf({ path, listing }), WIDEST.path))),
      visible(shorten(rule, WIDEST.rule)),
      `${showRecord(example)}: ${whatIsWrong(example, WIDEST)}`,
    ]);
  const rest = kinds.length - rows.length;
  const columns = heads.map(([title, align]) => [paint("dim", visible(title)), align] as const);
  return table(columns, rows) + (rest > 0 ? `\nand ${count(rest, "kind")} more` : "");
}

function describeProblem(problem: Problem, [one]: readonly [string, string], paint: Paint): string {
  const head = `${paint("dim", visible(one))} ${showRecord(problem)}`;
  return `${head}: ${paint("bold", visible(placeOf(problem)))} ${whatIsWrong(problem)}`;
}

/** The path of a field, after the name of its listing in a site. */
function placeOf({ path, listing }: { path: string; listing?: string | undefined }): string {
  return listing === undefined ? path : `${listing} ${path}`;
}

/** The value and its message; of NULL, the message alone, which names it. */
function whatIsWrong({ value, message }: Pick<Problem, "value" | "message">, widest?: typeof WIDEST): string {
  const text = visible(widest ? shorten(message, widest.message) : message);
  return value === null ? text : `${showValue(value, widest?.value)} ${text}`;
}

/** The last line of a refusal. */
function describeRefusal(
  { problems, total, words, noneLeft, isOfShards }: InvalidRecordsError,
  settings: ToRefuse,
  outcome: string,
): string {
  const { problems: file, contract } = settings;
  const one = problems.records === 1;
  const it = one ? "it" : "them";
  const allow = typeof contract === "string" ? `allow ${it} in ${contract}, ` : "";
  const found = `${number(problems.records)} of ${count(total, words)} ${one ? "is" : "are"} invalid`;
  const made = problems.kinds.flatMap((kind) => describeMade(kind, settings));
  const there = made.length > 0 ? "" : " in the source";
  const alone = isOfShards ? ", in a build without shards" : "";
  const why = noneLeft
    ? `no valid ${wordFor(1, words)} is left, so ${outcome}.`
    : `${outcome}. Correct ${it}${there}, ${allow}or leave ${it} out with --skip-invalid${alone}.`;
  const where =
    file === undefined ? '"rollcall build --problems FILE" writes every problem.' : `Every problem is in ${file}.`;
  return [`${found}, with ${count(problems.count, "problem")}: ${why}`, ...new Set(made), where].join(" ");
}

/** Names the columns of which a query makes a field that has problems, such as the key; empty if no query makes it. */
function describeMade({ listing, path, rule }: ProblemKind, { query: only, listings = {} }: ToRefuse): string[] {
  const query = (listing === undefined ? undefined : listings[listing]?.["query"]) ?? only;
  if (typeof query !== "string") return [];
  const columns = columnsJoinedAs(path, readText(query, "it is the query"));
  if (columns.length === 0) return [];
  const more = rule === "unique" ? "; if these may repeat, make it of more columns" : "";
  const made = columns.length === 1 ? "converts" : `makes ${path} of`;
  return [`${query} ${made} ${columns.join(", ")}${more}.`];
}

/** The columns that a query of `init` joins to make a field, or the one that it converts. @param sql has a line for each field */
function columnsJoinedAs(field: string, sql: string): string[] {
  const end = ` AS ${quoteName(field)}`;
  const line = sql.split("\n").find((text) => text.trimEnd().replace(/,$/, "").endsWith(end) && text.includes(" || "));
  const names = line?.slice(0, line.lastIndexOf(end)).match(/'[^']*'|"(?:[^"]|"")+"/g) ?? [];
  const columns = names.filter((name) => name.startsWith('"')).map((name) => name.slice(1, -1).replaceAll('""', '"'));
  return [...new Set(columns)];
}

/** The key of a problem's record, and its place in the source if it is known: `FB01, line 4`. */
function showRecord({ id, line, row }: Problem): string {
  const place = line === undefined ? [] : [`line ${line}`];
  if (row !== undefined) place.push(`row ${row}`);
  return [showId(id), ...place].join(", ");
}

/** A plain key without quotes; any other as JSON. */
function showId(id: unknown): string {
  return typeof id === "string" && /^[\w.-]{1,60}$/.test(id) ? id : showValue(id);
}
