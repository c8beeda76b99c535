/** Proposes a contract for a surveyed table: fields, key, order, label and words. */
import type { ContractFile, FieldSchema } from "../contract/file/form.js";
import { quoteName } from "../contract/sql.js";
import { UserError } from "../errors.js";
import { count, number } from "../print/numbers.js";
import { type Decision, decide, unobserved } from "./decide.js";
import { fieldOf, pathOf, wordsForRecords, wordsOf } from "./names.js";
import type { MadeQuery, Survey } from "./subject.js";

const CONTRACT_SCHEMA = "./node_modules/rollcall/contract.schema.json";

/** A column, with the name of its field if it is published. */
export interface Proposed extends Decision {
  field: string;
}

export interface Proposal {
  contract: ContractFile;
  columns: Proposed[];
  /** The key field, and why. */
  key: { field: string; why: string };
}

/** Options that override what is derived from names. */
export interface Wording {
  words?: readonly [one: string, many: string] | undefined;
  title?: string | undefined;
  path?: string | undefined;
}

/**
 * Proposes a contract.
 * @param made the query that was surveyed instead of the table, if any
 * @throws UserError if no column can be the key
 */
export function propose(survey: Survey, wording: Wording, made?: MadeQuery): Proposal {
  const taken = new Set<string>();
  const columns = survey.columns.map((tally): Proposed => {
    const field = fieldOf(tally.column, taken);
    taken.add(field);
    const decided = decide(tally);
    const left = made?.left.find(({ column }) => column === tally.column);
    if (!left) {
      const from = made?.converted.find(({ column }) => column === tally.column);
      const why = from ? `${decided.why}; the query converts ${from.what}: ${from.why}` : decided.why;
      return { field, ...decided, why };
    }
    const { schema, ...others } = decided;
    return { field, ...others, what: left.what, why: left.why, ...(schema && { instead: unobserved(schema) }) };
  });
  const key = made?.key ? { field: made.key.column, why: made.key.why } : chooseKey(survey, columns);
  const published = columns.flatMap(({ column, field, schema }) => {
    if (schema === undefined) return [];
    // No observed limits for the key, since every new record has another one.
    return [[field, fieldSchema(field, column, field === key.field ? unobserved(schema) : schema)] as const];
  });
  const words = wording.words ?? wordsForRecords(survey.name);
  const label = chooseLabel(columns);
  const contract: ContractFile = {
    $schema: CONTRACT_SCHEMA,
    title: wording.title ?? words[0].replace(/^./u, (letter) => letter.toUpperCase()),
    type: "object",
    "x-listing": {
      path: wording.path ?? pathOf(survey.name),
      words,
      key: key.field,
      order: [key.field],
      ...(label !== undefined && { label }),
      version: 1,
    },
    properties: Object.fromEntries(published),
    required: published.map(([field]) => field),
    additionalProperties: false,
  };
  return { contract, columns, key };
}

/**
 * Makes the SELECT that adds a key column, and converts columns to types of contracts.
 * @returns undefined if the table needs neither; `key` is the added column.
 */
export function queryFor(survey: Survey): MadeQuery | undefined {
  const { name, primary, rowid, columns } = survey;
  if (survey.kind === "query") return undefined;
  const decided = columns.map(decide).filter(({ column }) => column !== "" && !/\p{Cc}/u.test(column));
  // A private column must not be part of the key.
  const isPublic = (name: string) => decided.some((column) => column.column === name && canBeKey(column));
  const isJoined = primary.length > 1 && primary.every(isPublic);
  // Prefer declared keys to columns that happen to be unique.
  const own = declaredKey(survey, decided)?.column ?? (isJoined ? undefined : findUniqueKey(survey, decided));
  const joined = primary.map((column) => quoteName(column)).join(" || '-' || ");
  const expression = own !== undefined ? undefined : isJoined ? joined : rowid;
  const sure = (better: Decision["better"]) => (better?.isGuess ? undefined : better);
  const converted = decided.filter(({ better }) => sure(better));
  if (expression === undefined && converted.length === 0) return undefined;
  const key = expression === undefined ? undefined : freeName(columns.map(({ column }) => column));
  const lines = [
    ...(key === undefined ? [] : [`${expression} AS ${quoteName(key)}`]),
    ...decided.map(({ column, better }) => sure(better)?.sql ?? quoteName(column)),
  ];
  const why = isJoined ? `made of the PRIMARY KEY (${primary.join(", ")})` : "SQLite's rowid";
  return {
    // The query can publish only BLOBs and large integers, whose values are all known. In mixed columns, rare values may be private.
    converted,
    left: decided.filter(({ schema, what }) => schema === undefined && what !== "BLOB" && what !== "too large"),
    key: key === undefined ? undefined : { column: key, why },
    sql: `SELECT\n  ${lines.join(",\n  ")}\nFROM ${quoteName(name)}\n`,
  };
}

function freeName(columns: readonly string[]): string {
  const names = new Set(columns.map((column) => column.toLowerCase()));
  return ["id", "key", "record_id", "record_key"].find((word) => !names.has(word)) ?? "the_key";
}

/** A field's schema, with `x-column` if the column has another name. */
function fieldSchema(field: string, column: string, schema: FieldSchema): FieldSchema {
  return field === column ? schema : { ...schema, "x-column": column };
}

/** The line for `properties` that publishes a column: `"email": { "type": "string" }`. */
export function publicLine({ field, column }: Pick<Proposed, "field" | "column">, schema: FieldSchema): string {
  return `${JSON.stringify(field)}: ${JSON.stringify(fieldSchema(field, column, schema))}`;
}

/** Chooses the key. @throws UserError if no published column is unique and never NULL */
function chooseKey(survey: Survey, columns: readonly Proposed[]): { field: string; why: string } {
  const declared = declaredKey(survey, columns);
  if (declared) return { field: declared.field, why: declared.why };
  const found = findUniqueKey(survey, columns);
  const field = columns.find(({ column }) => column === found)?.field;
  if (field === undefined) throw noKey(survey, columns);
  return {
    field,
    why: `unique in ${count(survey.rows, "row")}, but the ${survey.kind} does not enforce it`,
  };
}

/** The column that the table declares as its key. */
function declaredKey<Column extends Decision>(survey: Survey, columns: readonly Column[]) {
  const possible = columns.filter(canBeKey);
  const named = (names: readonly string[]) => possible.find(({ column }) => names.includes(column));
  const primary = survey.primary.length === 1 ? named(survey.primary) : undefined;
  if (primary) return { ...primary, why: "as the PRIMARY KEY" };
  const unique = named(survey.unique);
  return unique && { ...unique, why: "as it is UNIQUE and never NULL" };
}

function canBeKey({ schema }: Decision): boolean {
  return schema?.type === "string" || schema?.type === "integer";
}

/** A column whose values are unique so far. */
function findUniqueKey(survey: Survey, columns: readonly Decision[]): string | undefined {
  const likely = columns.filter((column) => canBeKey(column) && isLikely(survey, column)).map(({ column }) => column);
  return survey.findUnique(likely.sort((one, other) => rank(one) - rank(other)));
}

/** Names of keys, best first. */
const KEYS = "id uuid guid pk key code slug number no username login handle url".split(" ");

const LONGEST_KEY = 100;

function rank(column: string): number {
  const at = KEYS.indexOf(wordsOf(column).join("_"));
  if (at >= 0) return at;
  const last = KEYS.indexOf(wordsOf(column).at(-1) ?? "");
  return KEYS.length + (last >= 0 ? last : KEYS.length);
}

function isNamedAsKey(column: string): boolean {
  return rank(column) < 2 * KEYS.length;
}

/** Whether a column is a likely key: not a time, an enumeration or a long text. */
function isLikely({ columns }: Survey, { column, schema }: Decision): boolean {
  const longest = columns.find((tally) => tally.column === column)?.longest ?? 0;
  const isTime = schema?.format === "date" || schema?.format === "date-time";
  return !isTime && schema?.["x-facet"] === undefined && longest <= LONGEST_KEY;
}

function noKey({ name, kind, primary, columns, rows }: Survey, decided: readonly Proposed[]): UserError {
  const left = decided.find(({ column, schema }) => primary.length === 1 && primary[0] === column && !schema);
  const why = [
    ...(primary.length > 1 ? [`its PRIMARY KEY (${primary.join(", ")}) has ${primary.length} columns`] : []),
    ...(left ? [`its PRIMARY KEY ${left.column} is omitted (${left.what}: ${left.why})`] : []),
    `no ${primary.length > 0 ? "other " : ""}publishable column is unique and never NULL${nearestKey(columns, rows)}`,
  ].join(", and ");
  const step = `add a unique column to the ${kind}`;
  return new UserError(`The ${kind} ${name} has no key: ${why}; ${step}.`);
}

/** Describes the column that is named like a key but has NULL or empty values. */
function nearestKey(columns: Survey["columns"], rows: number): string {
  const leftOut = ({ counts, empty }: Survey["columns"][number]) => counts.NULL > 0 || empty > 1;
  const named = columns.filter((tally) => isNamedAsKey(tally.column) && leftOut(tally));
  const [nearest] = named.sort((one, other) => rank(one.column) - rank(other.column));
  if (!nearest) return "";
  const { column, counts, empty, firsts } = nearest;
  const nulls = counts.NULL > 0 ? [`NULL in ${number(counts.NULL)}, the first of them ${firsts.NULL?.row}`] : [];
  const empties = empty > 1 ? [`an empty text in ${number(empty)}`] : [];
  return ` (of ${count(rows, "row")}, ${column} is ${[...nulls, ...empties].join(", and ")})`;
}

/** Names of label columns, best first. */
const LABELS =
  "display name,full name,fullname,name,title,label,username,user name,login,handle,nickname,nick,first name,slug";

/** Chooses a text field that is named like a label, if any. */
function chooseLabel(columns: readonly Proposed[]): string | undefined {
  const texts = columns.filter(({ schema }) => schema?.type === "string" && schema.format === undefined);
  const named = (name: string) => texts.find(({ column }) => wordsOf(column).join(" ") === name);
  const found = LABELS.split(",")
    .map(named)
    .find((column) => column !== undefined);
  return (found ?? texts.find(({ column }) => wordsOf(column).at(-1) === "name"))?.field;
}
