/** Rules of x-listing: columns, label, key and order. */
import { isScalarKind, kindsOf } from "../record/kind.js";
import { type Fields, findField } from "./field-rules.js";
import type { Listing } from "./form.js";
import { below, display, mustBe, type Refuse } from "./mistakes.js";

/** Checks the fields that a listing names. */
export function checkListing({ key, order, label, columns }: Partial<Listing>, fields: Fields, refuse: Refuse): void {
  if (key !== undefined) checkSortable(key, fields, below(refuse, "key"));
  if (order) checkOrder(order, key, fields, refuse);
  columns?.forEach((column, at) => {
    const refuseHere = below(refuse, "columns", at);
    if (columns.indexOf(column) < at) refuseHere(`is listed twice: ${display(column)}`);
    else findField(column, fields, refuseHere);
  });
  if (label === undefined) return;
  const schema = findField(label, fields, below(refuse, "label"))?.schema;
  if (schema && !kindsOf(schema).kinds.every(isScalarKind)) {
    refuse(mustBe("a field of strings, numbers, or true and false", label), "label");
  }
}

function checkOrder(order: Listing["order"], key: string | undefined, fields: Fields, refuse: Refuse): void {
  const paths = order.map((entry) => entry.replace(/^-/, ""));
  paths.forEach((path, at) => {
    const refuseHere = below(refuse, "order", at);
    if (paths.indexOf(path) < at) refuseHere(`is listed twice: ${path}`);
    // The key was checked above.
    else if (path !== key) checkSortable(path, fields, refuseHere);
  });
  const last = paths.at(-1);
  if (key === undefined || last === key) return;
  refuse(`must end with the key, ${key}, so that the order is total, got ${last}`, "order");
}

function checkSortable(path: string, fields: Fields, refuse: Refuse): void {
  const schema = findField(path, fields, refuse)?.schema;
  if (!schema) return;
  const { kinds, nullable } = kindsOf(schema);
  if (nullable) refuse(mustBe("a field that is never null", path));
  else if (kinds.length > 1 || !kinds.every((kind) => kind === "string" || kind === "integer")) {
    refuse(`must be a field of strings or of integers, got ${path}, which is ${kinds.join(" or ")}`);
  }
}
