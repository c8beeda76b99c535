/**
 * Checks and compiles SQL conditions of contracts. Only words of a list and the contract's columns are allowed, so that an
 * untrusted condition cannot read other data, write, or run forever. SQLite checks the syntax.
 */
import Database from "better-sqlite3";
import { lowerCase, quoteName } from "../sql.js";
import type { Fields } from "./field-rules.js";
import type { NamedCondition } from "./form.js";
import { below, display, type Refuse, suggestion } from "./mistakes.js";

const LONGEST = 10_000;
const MOST_CONDITIONS = 100;

const KEYWORDS =
  "and or not is null isnull notnull in between like glob escape case when then else end true false cast as collate distinct from".split(
    " ",
  );
/** Types after `AS`, and collations after `COLLATE`. Elsewhere, these words are columns. */
const NAMES = "integer int real text numeric blob binary nocase rtrim".split(" ");
/** Allowed functions: cheap and deterministic. */
const FUNCTIONS =
  "length lower upper trim ltrim rtrim substr substring instr abs round min max coalesce ifnull nullif iif typeof unicode".split(
    " ",
  );

/** A text, number or sign that is allowed anywhere; a quoted name; a word, or one that is called; the rest, if it is not allowed. */
const TOKEN =
  /(?<plain>'(?:[^']|'')*'|(?:\d|\.\d)[\w.]*|[+*%&|~<>=!(),\s]|-(?!-)|\/(?!\*))|(?<quoted>"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\])|(?<word>[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*)(?<call>\s*\()?|(?<rest>.+)/gsu;

/** Checks the conditions of `x-observed`. */
export function checkConditions(conditions: readonly NamedCondition[], fields: Fields, refuse: Refuse): void {
  if (conditions.length > MOST_CONDITIONS) {
    refuse(`must have at most ${MOST_CONDITIONS} conditions`);
    return;
  }
  const db = new Database(":memory:");
  try {
    const names = conditions.map(({ name }) => name);
    conditions.forEach(({ name, sql }, at) => {
      if (name !== undefined && names.indexOf(name) < at) refuse(`is given twice: ${display(name)}`, at, "name");
      else if (fields.get(name)?.schema["x-observed"]) {
        refuse(`is the name of the warnings about the field ${name}; choose another`, at, "name");
      }
      if (sql !== undefined) checkCondition(sql, fields, db, below(refuse, at, "sql"));
    });
  } finally {
    db.close();
  }
}

function checkCondition(sql: string, fields: Fields, db: Database.Database, refuse: Refuse): void {
  const columns = [...fields.values()].map(({ column }) => column);
  const why = whyNotWords(sql, columns) ?? whyNotSql(sql, columns, db);
  if (why !== undefined) refuse(why);
}

/** Says which word or sign of a condition is not allowed, as the end of a sentence; undefined if all are. */
function whyNotWords(sql: string, columns: readonly string[]): string | undefined {
  if (sql.length > LONGEST) return `must have at most ${LONGEST} characters`;
  if (/[^\P{Cc}\t\n\r\f]/u.test(sql)) return `must have no control characters, got ${display(sql)}`;
  if (sql.trim() === "") return "must be an SQL expression, got nothing";
  const known = new Set(columns.map(lowerCase));
  for (const { text, kind } of tokensOf(sql)) {
    if (kind === "rest") {
      return `must be one expression over the contract's columns without comments and parameters, got ${display(text)}`;
    }
    if (kind === "name" && !NAMES.includes(lowerCase(text))) {
      return `must have one of ${NAMES.join(", ")} there, got ${display(text)}`;
    }
    if (kind === "call" && !FUNCTIONS.includes(lowerCase(text))) {
      return `may call only ${FUNCTIONS.join(", ")}, got ${display(text)}`;
    }
    if (kind === "column" && !known.has(lowerCase(text))) {
      return `must name columns of the contract only, got ${display(text)}; ${suggestion(text, columns)}`;
    }
  }
  return undefined;
}

/**
 * Says why SQLite refuses a condition, as the end of a sentence; undefined if it does not. A text with unbalanced
 * parentheses is an error in one of the two places.
 */
function whyNotSql(sql: string, columns: readonly string[], db: Database.Database): string | undefined {
  // With a point, since SQLite gives a column named true or false of a subquery another name.
  const named = (column: string) => quoteName(`.${column}`);
  const compiled = compileCondition(sql, named);
  const row = `SELECT ${columns.map((column) => `NULL AS ${named(column)}`).join(", ")}`;
  try {
    // Evaluated on rows of NULLs, since SQLite reports some mistakes in constants only then.
    const rows = db.prepare(
      `SELECT CASE WHEN ${compiled.slice(1, -1)} THEN ${compiled} END FROM (${row} UNION ALL ${row})`,
    );
    return rows.all().length === 2
      ? undefined
      : "must not be an aggregate of all records; give min and max two arguments";
  } catch (error) {
    if (!(error instanceof Database.SqliteError)) throw error;
    return `is refused by SQLite: ${error.message}`;
  }
}

/**
 * Rewrites a condition with each column replaced, in parentheses.
 * @param sql a condition of a checked contract.
 * @param columnOf returns the expression for a column, given as the condition spells it, without quotes.
 */
export function compileCondition(sql: string, columnOf: (column: string) => string): string {
  let compiled = "";
  for (const { kind, text, written } of tokensOf(sql)) compiled += kind === "column" ? columnOf(text) : written;
  return `(${compiled})`;
}

interface Token {
  kind: "plain" | "name" | "call" | "column" | "rest";
  /** A column's name without quotes, or a word without the parenthesis after it. */
  text: string;
  /** As in the condition. */
  written: string;
}

function* tokensOf(sql: string): Generator<Token> {
  let before = "";
  for (const { 0: written, groups = {} } of sql.matchAll(TOKEN)) {
    const { quoted, word, call, rest } = groups;
    const kind = rest === undefined ? kindOf(word, call !== undefined, before) : "rest";
    if (quoted === undefined) yield { kind, text: word ?? written, written };
    else yield { kind: "column", text: unquoted(quoted), written };
    if (written.trim() !== "") before = lowerCase(written);
  }
}

function kindOf(word: string | undefined, isCall: boolean, before: string): Token["kind"] {
  if (word === undefined) return "plain";
  if (before === "as" || before === "collate") return "name";
  if (KEYWORDS.includes(lowerCase(word))) return "plain";
  return isCall ? "call" : "column";
}

function unquoted(text: string): string {
  const inside = text.slice(1, -1);
  return text.startsWith("[") ? inside : inside.replaceAll(text.charAt(0).repeat(2), text.charAt(0));
}
