/**
 * SQL conditions of authors: expressions over a contract's columns and nothing else, so that one that comes from a stranger
 * reads nothing else, writes nothing, and ends.
 */
import { lowerCase } from "../sql.js";
import type { RoughFields } from "./field-rules.js";
import type { ContractFile } from "./form.js";
import { meant, type Place, shown } from "./mistakes.js";

const LONGEST = 10_000;
const MOST_CONDITIONS = 100;
const DEEPEST = 50;

const KEYWORDS = new Set(
  "and or not is null isnull notnull in between like glob escape case when then else end true false cast as collate distinct from".split(
    " ",
  ),
);
/** What a CAST makes, and how texts are compared: names that are no columns, each after its keyword. */
const AFTER = new Map([
  ["as", new Set(["integer", "int", "real", "text", "numeric", "blob"])],
  ["collate", new Set(["binary", "nocase", "rtrim"])],
]);
/** Cheap, and the same on every machine and in every run. */
const FUNCTIONS = new Set(
  "length lower upper trim ltrim rtrim substr substring instr abs round min max coalesce ifnull nullif iif typeof unicode".split(
    " ",
  ),
);

const TOKENS =
  /(?<space>[ \t\n\r\f]+)|(?<text>'(?:[^']|'')*')|(?<quoted>"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\])|(?<number>0[xX][0-9a-fA-F]+(?![\w$\u0080-\uffff])|(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?(?![\w$.\u0080-\uffff]))|(?<comment>--|\/\*)|(?<sign>\|\||<<|>>|<=|>=|<>|==|!=|[-+*/%&|~<>=(),])|(?<word>[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*)/y;

interface Piece {
  kind: string;
  text: string;
}

/** A piece of an expression; a `column` is a name without its quotes. */
type Token = { kind: "column" | "other"; text: string };

export function checkConditions(file: Partial<ContractFile>, fields: RoughFields, top: Place): void {
  const conditions: readonly ({ name?: string; sql?: string } | undefined)[] = file["x-observed"] ?? [];
  const here = top.at("x-observed");
  if (conditions.length > MOST_CONDITIONS) here.refuse(`must have at most ${MOST_CONDITIONS} conditions`);
  const columns = [...fields.values()].map(({ column }) => column);
  const names = conditions.map((condition) => condition?.name);
  conditions.slice(0, MOST_CONDITIONS).forEach(({ name, sql } = {}, at) => {
    if (name !== undefined) checkName(name, names.indexOf(name) < at, fields, here.at(at, "name"));
    const why = sql === undefined ? undefined : whyNotCondition(sql, columns);
    if (why !== undefined) here.at(at, "sql").refuse(why);
  });
}

function checkName(name: string, isRepeated: boolean, fields: RoughFields, here: Place): void {
  if (!/^[A-Za-z][\w.-]{0,99}$/.test(name)) {
    here.mustBe("a name of letters, digits and . _ -, which begins with a letter", name);
  } else if (isRepeated) here.refuse(`is given twice: ${shown(name)}`);
  else if (fields.get(name)?.schema?.["x-observed"]) {
    here.refuse(`is the name of the warnings about the field ${name}; choose another`);
  }
}

/** @returns the end of a sentence about the condition, or undefined where it is one over these columns. */
function whyNotCondition(sql: string, columns: readonly string[]): string | undefined {
  const tokens = read(sql);
  if ("why" in tokens) return tokens.why;
  const known = new Set(columns.map(lowerCase));
  const unknown = tokens.find(({ kind, text }) => kind === "column" && !known.has(lowerCase(text)));
  return (
    unknown && `must name columns of the contract only, got ${shown(unknown.text)}; ${meant(unknown.text, columns)}`
  );
}

/**
 * The condition with each column replaced by an expression of the caller's, in parentheses.
 * @param sql of a contract that was checked.
 * @param columnOf is given a column as the condition spells it, without quotes; SQLite knows no difference between cases.
 */
export function compileCondition(sql: string, columnOf: (column: string) => string): string {
  const tokens = read(sql);
  if ("why" in tokens) throw new Error(`The condition ${sql} ${tokens.why}`);
  return `(${tokens.map(({ kind, text }) => (kind === "column" ? columnOf(text) : text)).join(" ")})`;
}

function read(sql: string): Token[] | { why: string } {
  if (sql.length > LONGEST) return { why: `must have at most ${LONGEST} characters` };
  if (/[^\P{Cc}\t\n\r\f]/u.test(sql)) return { why: `must have no control characters, got ${shown(sql)}` };
  const pieces: Piece[] = [];
  TOKENS.lastIndex = 0;
  for (let at = 0; at < sql.length; at = TOKENS.lastIndex) {
    const { groups = {} } = TOKENS.exec(sql) ?? {};
    const [kind, text] = Object.entries(groups).find(([, found]) => found !== undefined) ?? [];
    if (kind === undefined || text === undefined) return { why: refusalOf(sql.slice(at)) };
    if (kind === "comment") return { why: "must have no comments" };
    if (kind !== "space") pieces.push({ kind, text });
  }
  if (pieces.length === 0) return { why: "must be an SQL expression, got nothing" };
  return balance(pieces) ?? classify(pieces);
}

function refusalOf(rest: string): string {
  const quote = /^['"`[]/.exec(rest);
  if (quote) return `must be one expression; what ${quote[0]} opens is not closed`;
  if (/^[?:@$#]/.test(rest)) return `must have no parameters, got ${shown(rest)}`;
  return `must be one expression over the contract's columns, got ${shown(rest)}`;
}

/** Undefined where each parenthesis has its other, and lists stand within. */
function balance(pieces: readonly Piece[]): { why: string } | undefined {
  let depth = 0;
  for (const { text } of pieces) {
    if (text === "(") depth++;
    if (text === ")") depth--;
    if (depth < 0) return { why: "closes a parenthesis that is not open" };
    if (depth > DEEPEST) return { why: `has more than ${DEEPEST} parentheses within each other` };
    if (text === "," && depth === 0) return { why: "must be one expression, got a list of several" };
  }
  return depth > 0 ? { why: "has a parenthesis that is not closed" } : undefined;
}

function classify(pieces: readonly Piece[]): Token[] | { why: string } {
  const tokens: Token[] = [];
  for (const [at, { kind, text }] of pieces.entries()) {
    const isCall = pieces[at + 1]?.text === "(";
    const word = kind === "word" ? lowerCase(text) : "";
    const names = AFTER.get(lowerCase(pieces[at - 1]?.text ?? ""));
    if (kind === "quoted" && !isCall) tokens.push({ kind: "column", text: unquoted(text) });
    else if (kind === "word" && names?.has(word)) tokens.push({ kind: "other", text });
    else if (kind === "word" && names)
      return { why: `must have one of ${[...names].join(", ")} there, got ${shown(text)}` };
    else if (kind === "word" && !KEYWORDS.has(word) && !isCall) tokens.push({ kind: "column", text });
    else if (kind === "quoted" || (isCall && kind === "word" && !KEYWORDS.has(word) && !FUNCTIONS.has(word))) {
      return { why: `may call only ${[...FUNCTIONS].join(", ")}, got ${shown(text)}` };
    } else if ((word === "min" || word === "max") && isCall && !hasComma(pieces, at + 1)) {
      return { why: `must give ${word} two values or more, since of one it takes those of all records` };
    } else tokens.push({ kind: "other", text });
  }
  return tokens;
}

/** Whether a call, whose parenthesis opens at `from`, has several values. */
function hasComma(pieces: readonly Piece[], from: number): boolean {
  let depth = 0;
  for (const { text } of pieces.slice(from)) {
    if (text === "(") depth++;
    if (text === ")" && --depth === 0) return false;
    if (text === "," && depth === 1) return true;
  }
  return false;
}

function unquoted(text: string): string {
  const inside = text.slice(1, -1);
  return text.startsWith("[") ? inside : inside.replaceAll(text.charAt(0).repeat(2), text.charAt(0));
}
