/**
 * Checks and compiles SQL conditions of contracts. Only expressions over the contract's columns are allowed, so that an
 * untrusted condition cannot read other data, write, or run forever.
 */
import { lowerCase } from "../sql.js";
import type { UncheckedFields } from "./field-rules.js";
import type { ContractFile } from "./form.js";
import { display, type Place, suggestion } from "./mistakes.js";

const LONGEST = 10_000;
const MOST_CONDITIONS = 100;
const DEEPEST = 50;

const KEYWORDS = new Set(
  "and or not is null isnull notnull in between like glob escape case when then else end true false cast as collate distinct from".split(
    " ",
  ),
);
/** Names that are not columns, by the keyword before them: types after `AS`, collations after `COLLATE`. */
const AFTER = new Map([
  ["as", new Set(["integer", "int", "real", "text", "numeric", "blob"])],
  ["collate", new Set(["binary", "nocase", "rtrim"])],
]);
/** Allowed functions: cheap and deterministic. */
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

/** A token of an expression. The text of a `column` is its name without quotes. */
type Token = { kind: "column" | "other"; text: string };

/** Checks the conditions of `x-observed`, and adds mistakes to their places. */
export function checkConditions(file: Partial<ContractFile>, fields: UncheckedFields, top: Place): void {
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

function checkName(name: string, isRepeated: boolean, fields: UncheckedFields, here: Place): void {
  if (!/^[A-Za-z][\w.-]{0,99}$/.test(name)) {
    here.mustBe("a name of letters, digits and . _ - that begins with a letter", name);
  } else if (isRepeated) here.refuse(`is given twice: ${display(name)}`);
  else if (fields.get(name)?.schema?.["x-observed"]) {
    here.refuse(`is the name of the warnings about the field ${name}; choose another`);
  }
}

/** Says what is wrong with a condition, as the end of a sentence; undefined if it is valid for these columns. */
function whyNotCondition(sql: string, columns: readonly string[]): string | undefined {
  const tokens = read(sql);
  if ("why" in tokens) return tokens.why;
  const known = new Set(columns.map(lowerCase));
  const unknown = tokens.find(({ kind, text }) => kind === "column" && !known.has(lowerCase(text)));
  return (
    unknown &&
    `must name columns of the contract only, got ${display(unknown.text)}; ${suggestion(unknown.text, columns)}`
  );
}

/**
 * Rewrites a condition with each column replaced, in parentheses.
 * @param sql a condition of a checked contract.
 * @param columnOf returns the expression for a column, given as the condition spells it, without quotes.
 */
export function compileCondition(sql: string, columnOf: (column: string) => string): string {
  const tokens = read(sql);
  if ("why" in tokens) throw new Error(`The condition ${sql} ${tokens.why}`);
  return `(${tokens.map(({ kind, text }) => (kind === "column" ? columnOf(text) : text)).join(" ")})`;
}

function read(sql: string): Token[] | { why: string } {
  if (sql.length > LONGEST) return { why: `must have at most ${LONGEST} characters` };
  if (/[^\P{Cc}\t\n\r\f]/u.test(sql)) return { why: `must have no control characters, got ${display(sql)}` };
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
  if (quote) return `must be one expression; the quote ${quote[0]} is not closed`;
  if (/^[?:@$#]/.test(rest)) return `must have no parameters, got ${display(rest)}`;
  return `must be one expression over the contract's columns, got ${display(rest)}`;
}

/** Checks that parentheses are balanced, and that commas are only within them; undefined if so. */
function balance(pieces: readonly Piece[]): { why: string } | undefined {
  let depth = 0;
  for (const { text } of pieces) {
    if (text === "(") depth++;
    if (text === ")") depth--;
    if (depth < 0) return { why: "has a closing parenthesis without an opening one" };
    if (depth > DEEPEST) return { why: `has more than ${DEEPEST} nested parentheses` };
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
      return { why: `must have one of ${[...names].join(", ")} there, got ${display(text)}` };
    else if (kind === "word" && !KEYWORDS.has(word) && !isCall) tokens.push({ kind: "column", text });
    else if (kind === "quoted" || (isCall && kind === "word" && !KEYWORDS.has(word) && !FUNCTIONS.has(word))) {
      return { why: `may call only ${[...FUNCTIONS].join(", ")}, got ${display(text)}` };
    } else if ((word === "min" || word === "max") && isCall && !hasComma(pieces, at + 1)) {
      return { why: `must give ${word} at least two arguments, since with one it is an aggregate of all records` };
    } else tokens.push({ kind: "other", text });
  }
  return tokens;
}

/** Whether the call whose parenthesis is at `from` has several arguments. */
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
