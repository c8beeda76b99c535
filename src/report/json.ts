/** `--format json` and `--format ndjson`, written while the changes are read, because a report may be larger than memory. */
import type { Change, Diff, FieldFilter, SideFacts } from "../diff/change.js";
import { toJson } from "../print/text.js";
import { chunks } from "./chunks.js";

/** One JSON document, with each member and each change on a line of its own. */
export function jsonReport(diff: Diff, filter: FieldFilter = {}): AsyncGenerator<string> {
  return chunks(documentParts(diff, filter));
}

/** Every change as one line of JSON, in the order of the diff. */
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
    ...{ added, removed, changed, unchanged },
    fields: Object.fromEntries(diff.fields),
    flow: diff.flow.map(({ field, from, to, count }) => ({ field, from, to, count })),
  };
  yield "{\n";
  for (const [name, value] of Object.entries(members)) yield `${toJson(name)}:${toJson(value)},\n`;
  yield '"changes":[';
  let separator = "\n";
  for await (const change of diff.changes()) {
    yield separator + changeJson(change);
    separator = ",\n";
  }
  yield "\n]\n}\n";
}

/** A side that was never published has no id. */
function side({ id, count, pages }: SideFacts) {
  return { id: id ?? null, count, pages };
}

async function* lines(diff: Diff): AsyncGenerator<string> {
  for await (const change of diff.changes()) yield `${changeJson(change)}\n`;
}

/** `{kind, id, fields: [{path, old, new}]}`; for a user who was added or removed, no fields but `user`. */
function changeJson(change: Change): string {
  const { kind, id } = change;
  if (kind !== "changed") return toJson({ kind, id, fields: [], user: change.record });
  const fields = change.fields.map(({ path, old, new: now }) => ({ path, old, new: now }));
  return toJson({ kind, id, fields });
}
