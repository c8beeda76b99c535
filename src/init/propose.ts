/** From what is in a table to a contract for it: the fields, the key, the order, the label, and words for people. */
import type { ContractFile, FieldSchema } from "../contract/file/form.js";
import { quoteName } from "../contract/sql.js";
import { UserError } from "../errors.js";
import { count, number } from "../print/numbers.js";
import { type Decision, decide } from "./decide.js";
import { fieldOf, pathOf, wordsForRecords, wordsOf } from "./names.js";
import type { Survey } from "./survey.js";

const CONTRACT_SCHEMA = "./node_modules/rollcall/contract.schema.json";

/** A column, with the name that its field has, or would have if it were published. */
export interface Proposed extends Decision {
  field: string;
}

export interface Proposal {
  contract: ContractFile;
  columns: Proposed[];
  /** The field that names a record, and why. */
  key: { field: string; why: string };
}

/** @throws UserError when no column can be the key. */
export function propose(survey: Survey): Proposal {
  const taken = new Set<string>();
  const columns = survey.columns.map((tally): Proposed => {
    const field = fieldOf(tally.column, taken);
    taken.add(field);
    return { field, ...decide(tally) };
  });
  const key = chooseKey(survey, columns);
  const published = columns.flatMap(({ column, field, schema }) =>
    schema ? [[field, fieldSchema(field, column, schema)] as const] : [],
  );
  const words = wordsForRecords(survey.name);
  const label = chooseLabel(columns);
  const contract: ContractFile = {
    $schema: CONTRACT_SCHEMA,
    title: words[0].replace(/^./u, (letter) => letter.toUpperCase()),
    type: "object",
    "x-listing": {
      path: pathOf(survey.name),
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

/** The line of `properties` for a column, with the column's name where the field has another. */
function fieldSchema(field: string, column: string, schema: FieldSchema): FieldSchema {
  return field === column ? schema : { ...schema, "x-column": column };
}

/** The line of `properties` that would publish a column: `"email": { "type": "string" }`. */
export function publicLine({ field, column }: Pick<Proposed, "field" | "column">, schema: FieldSchema): string {
  return `${JSON.stringify(field)}: ${JSON.stringify(fieldSchema(field, column, schema))}`;
}

/** The key, and why. @throws UserError, with a query that would have a key, when no column is published, unique and never NULL. */
function chooseKey(survey: Survey, columns: readonly Proposed[]): { field: string; why: string } {
  const possible = columns.filter(({ schema }) => schema?.type === "string" || schema?.type === "integer");
  const declared = (names: readonly string[]) => possible.find(({ column }) => names.includes(column));
  const primary = survey.primary.length === 1 ? declared(survey.primary) : undefined;
  if (primary) return { field: primary.field, why: "as the PRIMARY KEY" };
  const unique = declared(survey.unique);
  if (unique) return { field: unique.field, why: "as it is UNIQUE and never NULL" };
  const likely = possible.filter((column) => isLikely(survey, column)).map(({ column }) => column);
  const found = survey.findUnique(likely.sort((one, other) => rank(one) - rank(other)));
  const field = columns.find(({ column }) => column === found)?.field;
  if (field === undefined) throw noKey(survey, columns);
  return {
    field,
    why: `as it is unique in ${count(survey.rows, "row")}, though nothing in the ${survey.kind} keeps it so`,
  };
}

/** Names of keys, from the best on. */
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

/** A time or a long text is unique by chance, if at all. */
function isLikely({ columns }: Survey, { column, schema }: Proposed): boolean {
  const longest = columns.find((tally) => tally.column === column)?.longest ?? 0;
  const isTime = schema?.format === "date" || schema?.format === "date-time";
  return !isTime && schema?.enum === undefined && longest <= LONGEST_KEY;
}

function noKey({ name, kind, primary, rowid, columns, rows }: Survey, decided: readonly Proposed[]): UserError {
  const left = decided.find(({ column, schema }) => primary.length === 1 && primary[0] === column && !schema);
  const why = [
    ...(primary.length > 1 ? [`its PRIMARY KEY (${primary.join(", ")}) has ${primary.length} columns`] : []),
    ...(left ? [`its PRIMARY KEY ${left.column} is left out (${left.what}: ${left.why})`] : []),
    `no ${primary.length > 0 ? "other " : ""}column that can be published is unique and never NULL${almostKey(columns, rows)}`,
  ].join(", and ");
  const names = new Set(columns.map(({ column }) => column.toLowerCase()));
  const key = quoteName(["id", "key", "record_id", "record_key"].find((word) => !names.has(word)) ?? "the_key");
  const joined = primary.map((column) => quoteName(column)).join(" || '-' || ");
  const expression = primary.length > 1 ? joined : rowid;
  const query = `SELECT ${expression} AS ${key}, * FROM ${quoteName(name)}`;
  const step =
    kind === "query" || expression === undefined
      ? `add a column to the ${kind} that names each row`
      : `write a query that has one to a file, such as ${query}, and give it with --query FILE`;
  return new UserError(`The ${kind} ${name} has no key: ${why}; ${step}.`);
}

/** Of the column that has a key's name, and which rows leave empty: in most tables it is these rows that are wrong. */
function almostKey(columns: Survey["columns"], rows: number): string {
  const leftOut = ({ counts, empty }: Survey["columns"][number]) => counts.NULL > 0 || empty > 1;
  const named = columns.filter((tally) => isNamedAsKey(tally.column) && leftOut(tally));
  const [nearest] = named.sort((one, other) => rank(one.column) - rank(other.column));
  if (!nearest) return "";
  const { column, counts, empty, firsts } = nearest;
  const nulls = counts.NULL > 0 ? [`NULL in ${number(counts.NULL)}, the first of them ${firsts.NULL?.row}`] : [];
  const empties = empty > 1 ? [`an empty text in ${number(empty)}`] : [];
  return ` (of ${count(rows, "row")}, ${column} is ${[...nulls, ...empties].join(", and ")})`;
}

/** Names by which people know a record, from the best on. */
const LABELS =
  "display_name full_name fullname name title label username user_name login handle nickname nick first_name slug";

/** The field of a text that has such a name, if there is one. */
function chooseLabel(columns: readonly Proposed[]): string | undefined {
  const texts = columns.filter(({ schema }) => schema?.type === "string" && schema.format === undefined);
  const named = (name: string) => texts.find(({ column }) => wordsOf(column).join("_") === name);
  const found = LABELS.split(" ")
    .map(named)
    .find((column) => column !== undefined);
  return (found ?? texts.find(({ column }) => wordsOf(column).at(-1) === "name"))?.field;
}
