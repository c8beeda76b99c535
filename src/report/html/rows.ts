/** Writes the changes into the page as small blocks of JSON, which its script parses one at a time. */
import { valueAt } from "../../contract/record/value.js";
import type { Change, Diff } from "../../diff/change.js";
import { html, jsonForScript, Markup } from "../../markup/markup.js";
import { explorerOf } from "../facts.js";
import type { Subject, Subjects } from "../subject.js";

/** Characters of JSON in a block (about), few enough to parse between two frames. */
const BLOCK_LENGTH = 128_000;

/**
 * Yields the blocks of all changes, and then a block of what the page must know besides: the paths, to which rows
 * refer by number, those that introduce a record, and where records can be looked at. A row is `[key, [name, ...], path, value, path, value, ...]`, with
 * `old, new` instead of the value for a changed record. A block has rows of one kind.
 */
export async function* dataBlocks(diff: Diff, subjects: Subjects): AsyncGenerator<string> {
  const paths = new Map<string, number>();
  let rows: string[] = [];
  let length = 0;
  let kind: Change["kind"] | undefined;
  for await (const change of diff.changes()) {
    if (rows.length > 0 && (change.kind !== kind || length >= BLOCK_LENGTH)) {
      yield block(kind, rows);
      [rows, length] = [[], 0];
    }
    kind = change.kind;
    const row = jsonForScript(rowOf(change, subjects[change.kind], paths)).source;
    rows.push(row);
    length += row.length;
  }
  if (rows.length > 0) yield block(kind, rows);
  const { facets, time } = subjects.added;
  const facts = [...(time ? [time] : []), ...facets].map(({ path }) => path);
  const contract = { paths: [...paths.keys()], facts, explorer: explorerOf(diff) };
  yield html`<script type="application/json" id="contract">${jsonForScript(contract)}</script>\n`.source;
}

function block(kind: Change["kind"] | undefined, rows: readonly string[]): string {
  return html`<script type="application/json" data-kind="${kind}" data-rows="${rows.length}">[
${new Markup(rows.join(",\n"))}
]</script>\n`.source;
}

function rowOf(change: Change, { contract, namesOf }: Subject, paths: Map<string, number>): unknown[] {
  const record = change.kind === "changed" ? change.new : change.record;
  const row: unknown[] = [change.id, namesOf(record)];
  const put = (path: string, ...values: unknown[]) => {
    if (!paths.has(path)) paths.set(path, paths.size);
    row.push(paths.get(path), ...values);
  };
  if (change.kind === "changed") for (const { path, old, new: now } of change.fields) put(path, old, now);
  else for (const field of contract.fields) put(field.path, valueAt(record, field));
  return row;
}
