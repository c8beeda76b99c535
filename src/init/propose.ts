/** Proposes a contract for a surveyed source: fields, key, order, label and words. */
import type { ContractFile, FieldSchema } from "../core/contract/file/form.js";
import { quoteName } from "../core/contract/sql.js";
import { decide, type Proposed, type Treatment, unobserved } from "./decide.js";
import { decimalReader } from "./decimals.js";
import { type ChosenKey, chooseKey } from "./key.js";
import { fieldOf, isAboutThings, proposePath, wordingOf, wordsForRecords, wordsOf } from "./names.js";
import type { SurveyOptions } from "./subject.js";
import type { Survey } from "./tally.js";

const CONTRACT_SCHEMA = "./node_modules/rollcall/contract.schema.json";

export interface Proposal {
  contract: ContractFile;
  columns: Proposed[];
  key: ChosenKey;
  /** The SELECT that is read instead of the table, if a key or a column needs it. */
  sql?: string | undefined;
}

/**
 * Proposes what each column of a survey becomes.
 * @param has whether a column is in the contract already, so that it is left out
 * @param fields the names of fields that are taken
 */
export function proposeColumns(
  survey: Survey,
  { convert = false, null: marks = [], decimal = [] }: SurveyOptions,
  has: (column: string) => boolean = () => false,
  fields: readonly string[] = [],
): Proposed[] {
  const names = survey.columns.map(({ column }) => column);
  const treatment: Treatment = {
    convert,
    isQuery: survey.kind === "query",
    marks: new Set(marks),
    isAboutThings: isAboutThings(survey.name, names),
    readDecimals: decimalReader(survey.columns, survey.separator, decimal),
    findChanged: survey.findChanged,
    findMerged: survey.findMerged,
  };
  const taken = new Set(fields);
  return survey.columns
    .filter(({ column }) => !has(column))
    .map((tally): Proposed => {
      const field = fieldOf(tally.column, taken);
      taken.add(field);
      return { field, ...decide(tally, treatment) };
    });
}

/** Proposes a contract. @throws UserError if nothing can be the key */
export function propose(survey: Survey, options: SurveyOptions): Proposal {
  const columns = proposeColumns(survey, options);
  const key = chooseKey(survey, columns);
  const sql = queryFor({ ...survey, columns, key });
  const published = columns.flatMap(({ column, field, schema }) => {
    if (schema === undefined) return [];
    // No observed limits for the key, since every new record has another one.
    return [[field, fieldSchema(field, column, field === key.field ? unobserved(schema) : schema)] as const];
  });
  if (key.added) {
    const type = key.added.parts ? "string" : "integer";
    const column = sql === undefined ? key.added.sql : key.field;
    published.unshift([key.field, fromColumn(key.field, column, { type })]);
  }
  const { words, title } = wordingOf(survey.name);
  const label = chooseLabel(columns, wordsForRecords(survey.name), key.field);
  const contract: ContractFile = {
    $schema: CONTRACT_SCHEMA,
    title,
    type: "object",
    "x-listing": {
      path: proposePath(survey.name),
      words,
      key: key.field,
      order: key.order,
      ...(label !== undefined && { label }),
      version: 1,
    },
    properties: Object.fromEntries(published),
    required: published.map(([field]) => field),
    additionalProperties: false,
  };
  return { contract, columns, key, sql };
}

/**
 * Makes the SELECT that adds a key made of several columns, and converts columns; undefined if the source needs neither.
 * @param added SQL of more columns
 */
export function queryFor(
  { name, kind, columns, key }: Pick<Proposal, "columns" | "key"> & Pick<Survey, "name" | "kind">,
  added: readonly string[] = [],
): string | undefined {
  const isConverted = columns.some(({ schema, sql }) => schema && sql !== undefined);
  if (kind === "query" || !(isConverted || key.added?.parts || added.length > 0)) return undefined;
  const lines = [
    ...(key.added ? [`${key.added.sql} AS ${quoteName(key.field)}`] : []),
    ...columns.flatMap(({ column, schema, sql }) => (schema ? [sql ?? quoteName(column)] : [])),
    ...added,
  ];
  return `SELECT\n  ${lines.join(",\n  ")}\nFROM ${quoteName(name)}\n`;
}

/** A field's schema, with `x-column` if the column has another name, and with its heading as title if that says more. */
export function fieldSchema(field: string, column: string, schema: FieldSchema): FieldSchema {
  const title = titleOf(field, column);
  return { ...(title !== undefined && { title }), ...fromColumn(field, column, schema) };
}

function fromColumn(field: string, column: string, schema: FieldSchema): FieldSchema {
  return field === column ? schema : { ...schema, "x-column": column };
}

/** The heading of a column, if it has more than the words of its field: `Day-ahead Price [EUR/MWh]`, but not `Open Since`. */
function titleOf(field: string, column: string): string | undefined {
  const heading = column.normalize("NFC").replace(/\s+/g, " ").trim();
  const words = heading.toLowerCase().replaceAll(" ", "_");
  const name = field.toLowerCase();
  // A field whose name was taken has a number.
  const isSame = name.startsWith(words) && /^(?:_\d+)?$/.test(name.slice(words.length));
  return isSame || heading === "" ? undefined : heading;
}

/** The line for `properties` that publishes a column: `"email": { "type": "string" }`. */
export function publicLine({ field, column }: Pick<Proposed, "field" | "column">, schema: FieldSchema): string {
  return `${JSON.stringify(field)}: ${JSON.stringify(fieldSchema(field, column, schema))}`;
}

/** Names of label columns, best first. */
const LABELS =
  "display name,full name,fullname,name,title,label,username,user name,login,handle,nickname,nick,first name,slug";

/** Last words of columns that name a record, best first. */
const NAMING =
  "name title label subject headline caption customer client company organisation organization product item station city " +
  "town place venue school hotel restaurant person author artist owner player team book film movie song album event project";

/**
 * Chooses the text field that names a record, if any: by its whole name, by its last word, or because it is called as the
 * records are, like `station` of stations. Facets name groups of records.
 */
function chooseLabel(columns: readonly Proposed[], [one]: readonly string[], key: string): string | undefined {
  const texts = columns.filter(({ schema }) => schema?.type === "string" && schema.format === undefined);
  const single = texts.filter(({ field, schema }) => field !== key && schema?.["x-facet"] === undefined);
  const named = (name: string) => texts.find(({ column }) => wordsOf(column).join(" ") === name);
  const ending = (word: string | undefined) => single.find(({ column }) => wordsOf(column).at(-1) === word);
  const found = [...LABELS.split(",").map(named), ...NAMING.split(" ").map(ending), ending(one?.split(" ").at(-1))];
  return found.find((column) => column !== undefined)?.field;
}
