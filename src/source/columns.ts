/** The columns of the source, and how a row becomes the candidate for a record. */
import type { AnyRecord, Contract, Field } from "../contract/contract.js";
import type { NullRule } from "../contract/file/form.js";
import { kindOf } from "../contract/record/kind.js";
import { readValue, type SqlValue, Unfit } from "./values.js";

/** Makes what turns rows, with the contract's columns in the order of its fields, into candidates. Wrong values are left for the schema to find. */
export function candidateMaker(contract: Contract, defaultAvatar: string | undefined) {
  const { fields } = contract;
  const kinds = fields.map(({ schema }) => kindOf(schema));
  const positions = new Map(fields.map(({ path }, at) => [path, at]));

  function valueAt(row: readonly SqlValue[], at: number): unknown {
    const rule = fields[at]?.schema["x-null"];
    const cell = row[at] ?? null;
    return cell === null && rule ? fromRule(row, rule) : readValue(kinds[at] ?? "mixed", cell);
  }

  /** Contract files say what stands for NULL. No rule leads back to its own field. */
  function fromRule(row: readonly SqlValue[], rule: NullRule): unknown {
    if ("const" in rule) return rule.const;
    if ("setting" in rule) return defaultAvatar;
    if ("field" in rule) return blankIfUnfit(valueAt(row, positions.get(rule.field) ?? -1));
    const parts = rule.join.map((path) => valueAt(row, positions.get(path) ?? -1));
    const texts = parts.map((part) => (typeof part === "string" ? part : ""));
    if (rule.empty && texts.every((text) => text === "")) return fromRule(row, rule.empty);
    return texts.join(" ").trim();
  }

  return (row: readonly SqlValue[]): AnyRecord => {
    const record: AnyRecord = {};
    for (const [at, field] of fields.entries()) put(record, field, valueAt(row, at));
    return record;
  };
}

/** A value that does not fit is a problem of its own field already, and need not be two. */
function blankIfUnfit(value: unknown): unknown {
  return value instanceof Unfit ? "" : value;
}

/** Fields come in published order, so that the members of every object do, too. */
function put(record: AnyRecord, { names }: Field, value: unknown): void {
  let inside = record;
  for (const name of names.slice(0, -1)) {
    // A field may have the name of what every object inherits, such as `valueOf`.
    if (!Object.hasOwn(inside, name)) inside[name] = {};
    inside = inside[name] as AnyRecord;
  }
  inside[names.at(-1) ?? ""] = value;
}
