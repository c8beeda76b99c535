/** What changed in the contract, which every form of a report says before what changed in the records. */
import type { Diff, FieldChange } from "../diff/change.js";
import { type Excerpt, excerpts } from "./excerpt.js";
import { writePath, writeValue } from "./value.js";

type Values = Pick<FieldChange, "old" | "new">;

/** One difference between two contracts: a field or condition that only one of them has, or a value that differs. Not escaped. */
export interface ContractChange {
  kind: "added" | "removed" | "changed";
  /** What differs: a name, and a word before or after it: `field nickname`, `country pattern`, `listing version`. */
  before?: string;
  name: string;
  after?: string;
  values?: Values;
}

/** Fields that came and went, then what differs in the others and in the listing, then the conditions. */
export function contractChanges({ contract }: Diff): ContractChange[] {
  if (!contract) return [];
  const only = (kind: "added" | "removed", before: string, name: string) => ({ kind, before, name: writePath(name) });
  const changed = (values: Values, what: Pick<ContractChange, "before" | "name" | "after">): ContractChange => {
    return { kind: "changed", values, ...what };
  };
  return [
    ...contract.added.map((path) => only("added", "field", path)),
    ...contract.removed.map((path) => only("removed", "field", path)),
    ...contract.fields.map(({ path, keyword, ...values }) => {
      return changed(values, { name: writePath(path), after: keyword });
    }),
    ...contract.listing.map(({ keyword, ...values }) => changed(values, { before: "listing", name: keyword })),
    ...contract.conditions.map(({ name, ...values }) => {
      if (values.old === undefined) return only("added", "condition", name);
      if (values.new === undefined) return only("removed", "condition", name);
      return changed(values, { before: "condition", name: writePath(name) });
    }),
  ];
}

/** What differs as JSON, in which every text has quotes; what a contract does not say is nothing. */
export function contractExcerpts({ old, new: now }: Values): readonly [Excerpt, Excerpt] {
  return excerpts({ path: "", old, new: now }, { write: (_path, value) => writeValue(value, true) });
}

/** A sentence where the records of one contract cannot be found by the key of the other. */
export function otherKey({ contract, old, new: now }: Diff, show: (path: string) => string): string | undefined {
  if (!contract?.hasOtherKey) return undefined;
  const [before, after] = [old, now].map((side) => show(writePath(side.contract.key.path)));
  return `The key is ${after} instead of ${before}, so all old records count as removed and all new ones as added.`;
}
