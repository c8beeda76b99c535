/** `--format json`: one document, written as the changes are read, so that it may be larger than memory. */
import type { Diff, FieldFilter, SideFacts } from "../diff/change.js";
import { toJson } from "../print/text.js";
import { chunks } from "./chunks.js";
import { changeJson } from "./ndjson.js";

/** A member a line, and a change a line. */
export function jsonReport(diff: Diff, filter: FieldFilter = {}): AsyncGenerator<string> {
  return chunks(parts(diff, filter));
}

async function* parts(diff: Diff, { only, ignore }: FieldFilter): AsyncGenerator<string> {
  const { added, removed, changed, unchanged } = diff;
  const members = {
    old: side(diff.old),
    new: side(diff.new),
    ...(only !== undefined && { only }),
    ...(ignore !== undefined && { ignored: ignore }),
    added,
    removed,
    changed,
    unchanged,
    fields: Object.fromEntries(diff.fields),
    flow: diff.flow.map(({ from, to, count }) => ({ from, to, count })),
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
