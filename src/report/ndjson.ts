/** `--format ndjson`: every change as one line of JSON, for programs that read as they go. */
import type { Change, Diff } from "../diff/change.js";
import { toJson } from "../print/text.js";
import { chunks } from "./chunks.js";

/** All changes in the diff's order; nothing at all for none. */
export function ndjsonReport(diff: Diff): AsyncGenerator<string> {
  return chunks(lines(diff));
}

/** `{kind, id, fields: [{path, old, new}]}`, and `user` for one who was added or removed. */
export function changeJson(change: Change): string {
  const { kind, id } = change;
  if (kind !== "changed") return toJson({ kind, id, fields: [], user: change.user });
  const fields = change.fields.map(({ path, old, new: now }) => ({ path, old, new: now }));
  return toJson({ kind, id, fields });
}

async function* lines(diff: Diff): AsyncGenerator<string> {
  for await (const change of diff.changes()) yield `${changeJson(change)}\n`;
}
