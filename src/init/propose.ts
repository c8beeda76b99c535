/** From what is in a table to a contract for it: the fields, the key, the order, the label, and words for people. */
import type { ContractFile, FieldSchema } from "../contract/file/form.js";
import { decide } from "./decide.js";
import type { Proposal, Proposed } from "./decision.js";
import { chooseKey, chooseLabel } from "./key.js";
import { fieldOf, pathOf, wordsForRecords } from "./names.js";
import type { Survey } from "./survey.js";

const CONTRACT_SCHEMA = "./node_modules/rollcall/contract.schema.json";

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
