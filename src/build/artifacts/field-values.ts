/** Reads values of fields from the text of records. */
import type { Contract, Field } from "../../core/contract/contract.js";
import { fromBytes, toBytes } from "../../core/contract/record/key.js";
import { placeFinder, readString } from "../../core/contract/record/locate.js";
import { valueAt } from "../../core/contract/record/value.js";

/** Puts the canonical JSON of each field's value into `values`. Texts have one character a byte. */
export type ReadValues = (text: string, at: number, end: number, values: string[]) => void;

/** Makes the reader of field values. It searches names in the text, which is much faster than parsing records. */
export function valueReader(contract: Pick<Contract, "file">, fields: readonly Field[]): ReadValues {
  const find = placeFinder(contract, fields);
  const begins: number[] = [];
  return (text, at, end, values) => {
    let isRead = find(text, at, end, begins);
    for (let field = 0; field < fields.length && isRead; field++) {
      const value = scalarAt(text, begins[field] ?? end, end);
      if (value === undefined) isRead = false;
      else values[field] = value;
    }
    if (isRead) return;
    const record: unknown = JSON.parse(fromBytes(text.slice(at, end)));
    for (const [place, field] of fields.entries()) values[place] = toBytes(JSON.stringify(valueAt(record, field)));
  };
}

/** The quotes around a text. */
const QUOTES = 2;
const BARE = /[^",[\]{}]+/y;

/** The JSON of a scalar; undefined for a list or an object. */
function scalarAt(text: string, begin: number, end: number): string | undefined {
  if (text[begin] === '"') {
    const found = readString(text, begin, end);
    return found && text.slice(begin, begin + found.written.length + QUOTES);
  }
  BARE.lastIndex = begin;
  return BARE.exec(text)?.[0];
}
