/** Rows were found by an index, which may be damaged. As many as the table has, each behind the last, are all of them. */
import { eachRecord, type RecordInText } from "../../release/user-index.js";

interface OrderKey {
  date: string;
  id: string;
}

export interface KeyRange {
  first: OrderKey;
  last: OrderKey;
}

const DATE_KEY = '"date_joined":"';
const DATE_LENGTH = "2026-01-31T18:00:00.123456Z".length;

/** Newest first, ties by id. False for equal keys. */
export function isBehind(key: OrderKey, before: OrderKey): boolean {
  return key.date < before.date || (key.date === before.date && key.id > before.id);
}

/** @param take is told each record on the way. @returns undefined when canonical records are not in order. */
export function rangeOf(records: Buffer, take?: (record: RecordInText) => void): KeyRange | undefined {
  let first: OrderKey | undefined;
  let last: OrderKey | undefined;
  let isInOrder = true;
  eachRecord(records, (record) => {
    const { text, id, idAt } = record;
    take?.(record);
    // The last one before the id: circles, which come before both, may hold keys of this name.
    const dateAt = text.lastIndexOf(DATE_KEY, idAt) + DATE_KEY.length;
    const key = { date: text.slice(dateAt, dateAt + DATE_LENGTH), id };
    isInOrder &&= last === undefined || isBehind(key, last);
    first ??= key;
    last = key;
  });
  return isInOrder && first && last ? { first, last } : undefined;
}
