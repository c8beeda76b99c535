/**
 * Whether records stand in published order, as their own text says: an index has found them, and may be damaged. As many
 * rows as the table has, each strictly behind the one before it, are all its rows, and each once.
 */
import { eachRecord, type RecordInText } from "../release/user-index.js";

/** Where a record stands: its `date_joined` and its id. */
export interface Place {
  date: string;
  id: string;
}

/** The first and the last of some records in order. */
export interface Span {
  first: Place;
  last: Place;
}

const DATE_KEY = '"date_joined":"';
const DATE_LENGTH = "2026-01-31T18:00:00.123456Z".length;

/** Newest first, ties by id; never both the same. */
export function isBehind(place: Place, before: Place): boolean {
  return place.date < before.date || (place.date === before.date && place.id > before.id);
}

/**
 * @param take is told each record on the way.
 * @returns undefined when a page's canonical records, given with their separators, are not in order.
 */
export function spanOf(records: Buffer, take?: (record: RecordInText) => void): Span | undefined {
  let first: Place | undefined;
  let last: Place | undefined;
  let isInOrder = true;
  eachRecord(records, (record) => {
    const { text, id, idAt } = record;
    take?.(record);
    // The last one before the id: circles, which come before both, may hold keys of this name.
    const dateAt = text.lastIndexOf(DATE_KEY, idAt) + DATE_KEY.length;
    const place = { date: text.slice(dateAt, dateAt + DATE_LENGTH), id };
    isInOrder &&= last === undefined || isBehind(place, last);
    first ??= place;
    last = place;
  });
  return isInOrder && first && last ? { first, last } : undefined;
}
