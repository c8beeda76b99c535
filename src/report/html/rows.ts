/** Writes the changes into the page as small blocks of JSON, which its script parses one at a time. */
import type { Change } from "../../diff/change.js";
import { toJson } from "../../print/text.js";
import { html, Markup } from "./markup.js";

/** Characters of JSON in a block (about), few enough to parse between two frames. */
const BLOCK_LENGTH = 128_000;

/**
 * Yields the blocks of all changes, and then the block with the paths, to which rows refer by number. A row is
 * `[id, display_name, username, path, value, path, value, ...]`, with `old, new` instead of the value for a changed
 * user. A block has rows of one kind.
 */
export async function* dataBlocks(changes: AsyncIterable<Change>): AsyncGenerator<string> {
  const paths = new Map<string, number>();
  let rows: string[] = [];
  let length = 0;
  let kind: Change["kind"] | undefined;
  for await (const change of changes) {
    if (rows.length > 0 && (change.kind !== kind || length >= BLOCK_LENGTH)) {
      yield block(kind, rows);
      [rows, length] = [[], 0];
    }
    kind = change.kind;
    const row = safeJson(rowOf(change, paths));
    rows.push(row);
    length += row.length;
  }
  if (rows.length > 0) yield block(kind, rows);
  yield html`<script type="application/json" id="paths">${new Markup(safeJson([...paths.keys()]))}</script>\n`.source;
}

function block(kind: Change["kind"] | undefined, rows: readonly string[]): string {
  return html`<script type="application/json" data-kind="${kind}" data-rows="${rows.length}">[
${new Markup(rows.join(",\n"))}
]</script>\n`.source;
}

function rowOf(change: Change, paths: Map<string, number>): unknown[] {
  const user = change.kind === "changed" ? change.new : change.record;
  const row: unknown[] = [change.id, user["display_name"], user["username"]];
  const put = (path: string, ...values: unknown[]) => {
    if (!paths.has(path)) paths.set(path, paths.size);
    row.push(paths.get(path), ...values);
  };
  if (change.kind === "changed") for (const { path, old, new: now } of change.fields) put(path, old, now);
  else for (const [path, value] of leaves(change.record)) put(path, value);
  return row;
}

/** Every field with its dotted path; a list is one field. */
function* leaves(object: object, prefix = ""): Generator<[path: string, value: unknown]> {
  for (const [key, value] of Object.entries(object)) {
    if (typeof value === "object" && value !== null && !Array.isArray(value)) yield* leaves(value, `${prefix}${key}.`);
    else yield [prefix + key, value];
  }
}

/** JSON that cannot end the script element and has no invisible characters. */
function safeJson(value: unknown): string {
  return toJson(value).replaceAll("<", "\\u003c");
}
