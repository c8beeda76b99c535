/** `--format json` and `--format ndjson`. Written as a stream, since a report may be larger than memory. */
import type { Change, Diff, FieldFilter, SideFacts } from "../../core/compare/change.js";
import type { ContractChanges } from "../../core/contract/changes.js";
import { toJson } from "../../core/print/text.js";
import { chunks } from "./chunks.js";

/** One JSON document, with each member and each change on its own line. */
export function jsonReport(diff: Diff, filter: FieldFilter = {}): AsyncGenerator<string> {
  return chunks(documentParts(diff, filter));
}

/** A line of JSON for each change, in the order of the diff, after a line for changes of the contract, if any. */
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
    added,
    removed,
    changed,
    unchanged,
    fields: Object.fromEntries(diff.fields),
    flow: diff.flow.map(({ field, from, to, count }) => ({ field, from, to, count })),
  };
  yield "{\n";
  for (const [name, value] of Object.entries(members)) yield `${toJson(name)}:${toJson(value)},\n`;
  yield '"changes":[';
  const word = recordWord(diff);
  let separator = "\n";
  for await (const change of diff.changes()) {
    yield separator + toJson(changeEntry(change, word));
    separator = ",\n";
  }
  yield "\n]\n}\n";
}

/** The JSON of changes of the contract. Omits keywords that a contract does not have. */
function contractMembers({ added, removed, fields, listing, conditions, hasOtherKey }: ContractChanges) {
  return { added, removed, fields, listing, conditions, other_key: hasOtherKey };
}

/** The JSON of a side. `id` is null for a side without one. */
function side({ id, count, pages }: SideFacts) {
  return { id: id ?? null, count, pages };
}

async function* lines(diff: Diff): AsyncGenerator<string> {
  if (diff.contract) yield `${toJson({ kind: "contract", ...contractMembers(diff.contract) })}\n`;
  const word = recordWord(diff);
  for await (const change of diff.changes()) yield `${toJson(changeEntry(change, word))}\n`;
}

/** The name of the member with a whole record: the contract's word for one record if it is plain, else `record`. */
export function recordWord({ new: { contract } }: Diff): string {
  const [one] = contract.listing.words;
  return /^[a-z]+$/.test(one) && !["kind", "id", "fields"].includes(one) ? one : "record";
}

/**
 * A change as the reports write it: `{kind, id, fields: [{path, old, new}]}`. For an added or removed record, `fields` is empty,
 * and the member `word` has the whole record.
 */
export function changeEntry(change: Change, word: string): object {
  const { kind, id } = change;
  if (kind !== "changed") return { kind, id, fields: [], [word]: change.record };
  const fields = change.fields.map(({ path, old, new: now }) => ({ path, old, new: now }));
  return { kind, id, fields };
}
