/** Reads the values of some fields out of canonical records, by the names in their text: parsing whole records takes far longer. */
import type { Contract, Field } from "../contract/contract.js";
import { fromBytes, toBytes } from "../contract/record/key.js";
import { readText } from "../contract/record/locate.js";
import { placeFinder } from "../contract/record/places.js";
import { valueAt } from "../contract/record/value.js";

/** Texts have a character for each byte. Given a place to put them, finds each field's value as its canonical JSON. */
export type ReadValues = (text: string, at: number, end: number, values: string[]) => void;

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

const BARE = /[^",[\]{}]+/y;

/** Undefined for a list or an object. */
function scalarAt(text: string, begin: number, end: number): string | undefined {
  if (text[begin] === '"') {
    const found = readText(text, begin, end);
    return found && `"${found.written}"`;
  }
  BARE.lastIndex = begin;
  return BARE.exec(text)?.[0];
}
