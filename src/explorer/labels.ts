/** The form of labels.json: the names of all records of a listing. Browsers load it too. */
import type { AnyRecord, Contract } from "../core/contract/contract.js";
import { valueAt } from "../core/contract/record/value.js";

/** Maximum number of records of a listing with labels.json, and bytes of the file. */
export const MOST_LABELED = 5000;
export const MOST_LABEL_BYTES = 1_000_000;
/** Maximum characters of a label. */
const LONGEST = 200;

/** The names of records by their keys as text. */
export type Labels = ReadonlyMap<string, string>;

/** A record's label as text, if it has one other than its key. */
export function nameOf(record: AnyRecord, { key, label }: Pick<Contract, "key" | "label">): string | undefined {
  const named = valueAt(record, label);
  const name = typeof named === "number" || typeof named === "boolean" ? String(named) : named;
  const isName = typeof name === "string" && name.trim() !== "" && name !== String(valueAt(record, key));
  return isName ? name : undefined;
}

/** The key of a record, and its label, cut; undefined for a record without a label. */
export function labelOf(
  record: AnyRecord,
  contract: Pick<Contract, "key" | "label">,
): [key: string | number, label: string] | undefined {
  const name = nameOf(record, contract);
  return name === undefined ? undefined : [valueAt(record, contract.key) as string | number, cutLabel(name)];
}

function cutLabel(name: string): string {
  if (name.length <= LONGEST) return name;
  // A character has at most two units.
  const characters = Array.from(name.slice(0, 2 * LONGEST));
  return characters.length <= LONGEST && name.length <= 2 * LONGEST
    ? name
    : `${characters.slice(0, LONGEST - 1).join("")}…`;
}

/** Writes labels.json. */
export function encodeLabels(labels: readonly (readonly [key: string | number, label: string])[]): string {
  return `${JSON.stringify({ labels, version: 1 })}\n`;
}

/** Reads labels.json; undefined if it has another form. */
export function parseLabels(file: { labels?: unknown; version?: unknown }): Labels | undefined {
  if (file.version !== 1 || !Array.isArray(file.labels)) return undefined;
  const labels = new Map<string, string>();
  for (const labeled of file.labels) {
    const [key, label] = Array.isArray(labeled) ? labeled : [];
    if ((typeof key !== "string" && typeof key !== "number") || typeof label !== "string") return undefined;
    labels.set(String(key), label);
  }
  return labels;
}
