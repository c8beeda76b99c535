/** Adds fields to the text of a contract file. All that stands there stays as it is, but for `version` and `required`. */
import { applyEdits, type Edit, findNodeAtLocation, type Node, parseTree } from "jsonc-parser";
import type { FieldSchema } from "../core/contract/file/form.js";

/** Lines before and after a change that a diff shows. */
const CONTEXT = 3;

/** @param text of a contract without mistakes @param fields at least one @returns the new text, and the changes as a unified diff */
export function addFields(
  text: string,
  fields: ReadonlyMap<string, FieldSchema>,
  file: string,
): { text: string; diff: string } {
  // The parser takes no byte order mark.
  const start = text.startsWith("\uFEFF") ? 1 : 0;
  const body = text.slice(start);
  const root = parseTree(body);
  const nodeAt = (...path: string[]): Node => {
    const node = root && findNodeAtLocation(root, path);
    if (!node) throw new Error(`The contract has no ${path.join(".")}`);
    return node;
  };
  const properties = nodeAt("properties");
  const version = nodeAt("x-listing", "version");
  const schemas = [...fields].map(([name, schema]) => writeProperty(body, properties, name, schema));
  const names = [...fields.keys()].map((name) => JSON.stringify(name));
  const edits: Edit[] = [
    { offset: version.offset, length: version.length, content: String(version.value + 1) },
    append(body, properties, schemas),
    append(body, nodeAt("required"), names),
  ].sort((one, other) => one.offset - other.offset);
  const edited = applyEdits(body, edits);
  return { text: text.slice(0, start) + edited, diff: unifiedDiff(body, edited, edits, file) };
}

/** Appends items to an object or a list, as the last one stands: on a line of its own, or after a space. */
function append(text: string, list: Node, items: readonly string[]): Edit {
  const gap = gapBefore(text, list);
  const last = list.children?.at(-1);
  const offset = last ? endOf(last) : list.offset + 1;
  return { offset, length: 0, content: items.map((item, at) => (last || at > 0 ? "," : "") + gap + item).join("") };
}

/** The white space before the last item. */
function gapBefore(text: string, { offset, children = [] }: Node): string {
  const last = children.at(-1);
  const before = children.at(-2);
  if (!last) return "";
  return /\s*$/.exec(text.slice(before ? endOf(before) : offset + 1, last.offset))?.[0] ?? "";
}

function endOf({ offset, length }: Node): number {
  return offset + length;
}

/** Writes a property in the layout of the last one: in one line or several, with its spaces. */
function writeProperty(text: string, properties: Node, name: string, schema: FieldSchema): string {
  const [key, value] = properties.children?.at(-1)?.children ?? [];
  if (!key || !value) return `${JSON.stringify(name)}: ${JSON.stringify(schema)}`;
  const colon = text.slice(endOf(key), value.offset);
  const example = text.slice(value.offset, endOf(value));
  return JSON.stringify(name) + colon + writeLike(example, indentOf(gapBefore(text, properties)), schema);
}

/** The white space at the beginning of the last line. */
function indentOf(gap: string): string {
  return gap.slice(gap.lastIndexOf("\n") + 1);
}

function writeLike(example: string, indent: string, schema: FieldSchema): string {
  const [, lineEnd, inner = ""] = /^\{(\r?\n)([ \t]*)/.exec(example) ?? [];
  if (lineEnd !== undefined) {
    const unit = inner.startsWith(indent) && inner !== indent ? inner.slice(indent.length) : "  ";
    return JSON.stringify(schema, null, unit).replaceAll("\n", lineEnd + indent);
  }
  // Line breaks within texts are escaped.
  return example.startsWith("{ ") ? JSON.stringify(schema, null, 1).replace(/\n */g, " ") : JSON.stringify(schema);
}

interface Change {
  /** Lines of the old text, from 0, that the new lines replace. */
  first: number;
  last: number;
  lines: string[];
}

/** Writes a unified diff. @param edits by offset */
function unifiedDiff(old: string, edited: string, edits: readonly Edit[], file: string): string {
  const lineAt = (offset: number) => old.slice(0, offset).split("\n").length - 1;
  const before = old.split("\n");
  const after = edited.split("\n");
  const changes: Change[] = [];
  let added = 0;
  for (const { offset, length, content } of edits) {
    const place = { first: lineAt(offset), last: lineAt(offset + length) };
    const grown = content.split("\n").length - 1 - (place.last - place.first);
    const same = changes.at(-1)?.last === place.first ? changes.pop() : undefined;
    const first = same?.first ?? place.first;
    const from = first + added - (same ? same.lines.length - (same.last - same.first + 1) : 0);
    added += grown;
    changes.push({ first, last: place.last, lines: after.slice(from, place.last + added + 1) });
  }
  const hunks: Change[][] = [];
  for (const change of changes) {
    const hunk = hunks.at(-1);
    const above = hunk?.at(-1);
    if (hunk && above && change.first - above.last <= 2 * CONTEXT) hunk.push(change);
    else hunks.push([change]);
  }
  let shift = 0;
  const texts = hunks.map((hunk) => {
    const lines: string[] = [];
    const start = Math.max(0, (hunk[0]?.first ?? 0) - CONTEXT);
    const isLastEmpty = before.at(-1) === "";
    const end = Math.min(before.length - (isLastEmpty ? 1 : 0), (hunk.at(-1)?.last ?? 0) + 1 + CONTEXT);
    let at = start;
    for (const { first, last, lines: now } of hunk) {
      lines.push(...before.slice(at, first).map((line) => ` ${line}`));
      lines.push(...before.slice(first, last + 1).map((line) => `-${line}`), ...now.map((line) => `+${line}`));
      at = last + 1;
    }
    lines.push(...before.slice(at, end).map((line) => ` ${line}`));
    const count = lines.filter((line) => !line.startsWith("-")).length;
    const head = `@@ -${start + 1},${end - start} +${start + 1 + shift},${count} @@`;
    shift += count - (end - start);
    return [head, ...lines].join("\n");
  });
  return [`--- ${file}`, `+++ ${file}`, ...texts].join("\n");
}
