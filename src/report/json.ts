/** `--format json` and `--format ndjson`, written while the changes are read, because a report may be larger than memory. */
import type { ContractChanges } from "../contract/changes.js";
import type { Change, Diff, FieldFilter, SideFacts } from "../diff/change.js";
import { toJson } from "../print/text.js";
import { chunks } from "./chunks.js";

/** One JSON document, with each member and each change on a line of its own. */
export function jsonReport(diff: Diff, filter: FieldFilter = {}): AsyncGenerator<string> {
  return chunks(documentParts(diff, filter));
}

/** Every change as one line of JSON, in the order of the diff; before them what changed in the contract, if it did. */
export function ndjsonReport(diff: Diff): AsyncGenerator<string> {
  return chunks(lines(diff));
}

async function* documentParts(diff: Diff, { only, ignore }: FieldFilter): AsyncGenerator<string> {
  const { added, removed, changed, unchanged } = diff;
  const members = {
    old: side(diff.old),
    new: side(diff.new),
    ...(only !== undefined && { only }),
    ...(ignore !== undefined && { ignored: ignore }),
    ...(diff.contract && { contract: contractMembers(diff.contract) }),
    ...{ added, removed, changed, unchanged },
    fields: Object.fromEntries(diff.fields),
    flow: diff.flow.map(({ field, from, to, count }) => ({ field, from, to, count })),
  };
  yield "{\n";
  for (const [name, value] of Object.entries(members)) yield `${toJson(name)}:${toJson(value)},\n`;
  yield '"changes":[';
  const toLine = changeWriter(diff);
  let separator = "\n";
  for await (const change of diff.changes()) {
    yield separator + toLine(change);
    separator = ",\n";
  }
  yield "\n]\n}\n";
}

/** A keyword that a contract does not have is left out. */
function contractMembers({ added, removed, fields, listing, conditions, hasOtherKey }: ContractChanges) {
  return { added, removed, fields, listing, conditions, other_key: hasOtherKey };
}

/** A side that was never published has no id. */
function side({ id, count, pages }: SideFacts) {
  return { id: id ?? null, count, pages };
}

async function* lines(diff: Diff): AsyncGenerator<string> {
  if (diff.contract) yield `${toJson({ kind: "contract", ...contractMembers(diff.contract) })}\n`;
  const toLine = changeWriter(diff);
  for await (const change of diff.changes()) yield `${toLine(change)}\n`;
}

/** `{kind, id, fields: [{path, old, new}]}`; for a record that was added or removed, no fields but the whole of it, by the contract's word for one if that is plain. */
function changeWriter({ new: { contract } }: Diff): (change: Change) => string {
  const [one] = contract.listing.words;
  const whole = /^[a-z]+$/.test(one) && !["kind", "id", "fields"].includes(one) ? one : "record";
  return (change) => {
    const { kind, id } = change;
    if (kind !== "changed") return toJson({ kind, id, fields: [], [whole]: change.record });
    const fields = change.fields.map(({ path, old, new: now }) => ({ path, old, new: now }));
    return toJson({ kind, id, fields });
  };
}
