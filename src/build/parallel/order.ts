/** Rows were found by an index, which may be damaged. As many as the table has, each behind the last, are all of them. */
import type { Contract } from "../../contract/contract.js";
import { isBehind, type OrderKey } from "../../contract/record/key.js";
import type { RecordFinder, RecordInText } from "../../contract/record/locate.js";

export interface KeyRange {
  first: OrderKey;
  last: OrderKey;
}

/**
 * @param records with a character for each byte.
 * @param take is told each of a page's canonical records on the way.
 * @returns undefined when they are not in order, or one has no key where it should be.
 */
export function rangeOf(
  contract: Pick<Contract, "order">,
  finder: RecordFinder,
  records: string,
  take?: (record: RecordInText) => void,
): KeyRange | undefined {
  let first: OrderKey | undefined;
  let last: OrderKey | undefined;
  let isInOrder = true;
  const isWhole = finder.each(records, (record) => {
    take?.(record);
    isInOrder &&= last === undefined || isBehind(contract, record.order, last);
    first ??= record.order;
    last = record.order;
  });
  return isWhole && isInOrder && first && last ? { first, last } : undefined;
}
