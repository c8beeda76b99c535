/** Reads the changes, which are blocks of NDJSON in the report. A block is parsed only when needed. */
import { valueAt } from "../../../core/contract/record/value.js";
import { byId } from "../../../explorer/markup/page/element.js";
import { textOf } from "../../../explorer/markup/page/text.js";
import type { ReportFacts } from "../facts.js";

type Kind = "added" | "removed" | "changed";

/** A field of a change. `old` and `new` are the same unless the record changed. */
interface Field {
  path: string;
  old: unknown;
  new: unknown;
}

export interface ShownChange {
  kind: Kind;
  id: string;
  /** The names of the record other than its key, best first. */
  names: readonly string[];
  fields: readonly Field[];
}

/** Rows of one kind; the first has number `first`. */
interface Block {
  source: Element;
  kind: Kind;
  first: number;
  rows: number;
}

const BLOCKS: Block[] = [];
for (const source of document.querySelectorAll("script[data-rows]")) {
  const last = BLOCKS.at(-1);
  BLOCKS.push({
    source,
    kind: source.getAttribute("data-kind") as Kind,
    first: last ? last.first + last.rows : 0,
    rows: Number(source.getAttribute("data-rows")),
  });
}

/** The number of all changes. */
export const TOTAL = BLOCKS.reduce((sum, { rows }) => sum + rows, 0);

export const FACTS: ReportFacts = JSON.parse(byId("facts", HTMLScriptElement).text);

/** All changes of a block, in order. */
function changesOf({ source, kind }: Block): ShownChange[] {
  const lines = (source.textContent ?? "").trim().split("\n");
  return lines.map((line) => {
    const { id, names, fields, [FACTS.record]: record } = JSON.parse(line);
    return { kind, id: String(id), names, fields: kind === "changed" ? fields : fieldsOf(record, kind) };
  });
}

function fieldsOf(record: unknown, kind: "added" | "removed"): Field[] {
  return FACTS.fields[kind].map((field) => {
    const value = valueAt(record, field);
    return { path: field.path, old: value, new: value };
  });
}

/** The changes with these numbers, which must be in ascending order. */
export function changesAt(numbers: readonly number[]): ShownChange[] {
  let block: Block | undefined;
  let changes: ShownChange[] = [];
  return numbers.flatMap((at) => {
    if (!block || at >= block.first + block.rows) {
      block = BLOCKS.find(({ first, rows }) => at < first + rows);
      changes = block ? changesOf(block) : [];
    }
    return changes[at - (block?.first ?? 0)] ?? [];
  });
}

/** What to search for. An empty text or path matches all. */
export interface Filter {
  text: string;
  path: string;
  kinds: ReadonlySet<unknown>;
}

/** Milliseconds of work before the browser can handle input. */
const SLICE = 12;

/** Searches changes. Yields the numbers found so far after each slice of work, with the part that was searched, from 0 to 1. */
export async function* searchChanges(filter: Filter): AsyncGenerator<{ found: readonly number[]; part: number }> {
  const fits = matcher(filter);
  const found: number[] = [];
  let until = performance.now() + SLICE;
  for (const block of BLOCKS) {
    if (filter.kinds.has(block.kind) && (filter.path === "" || block.kind === "changed")) {
      // Without a condition, the block need not be parsed.
      const fitting: boolean[] = fits ? changesOf(block).map(fits) : new Array(block.rows).fill(true);
      for (const [at, isFitting] of fitting.entries()) if (isFitting) found.push(block.first + at);
    }
    if (performance.now() < until) continue;
    yield { found, part: block.first / TOTAL };
    await pause();
    until = performance.now() + SLICE;
  }
  yield { found, part: 1 };
}

/** Makes the condition on a change, apart from its kind; undefined without one. */
function matcher({ text, path }: Filter): ((change: ShownChange) => boolean) | undefined {
  if (text === "" && path === "") return undefined;
  const pattern = new RegExp(text.normalize().replace(/[$()*+.?[\\\]^{|}]/g, "\\$&"), "iu");
  // Normalization makes both forms of an accent equal.
  const matches = (value: unknown) => pattern.test(textOf(value).normalize());
  return ({ id, names, fields }) => {
    if (path !== "" && !fields.some((field) => field.path === path)) return false;
    return (
      text === "" ||
      matches(id) ||
      names.some(matches) ||
      fields.some((field) => matches(field.old) || matches(field.new))
    );
  };
}

/** Resolves after the browser has handled pending events, sooner than a timer. */
function pause(): Promise<unknown> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = resolve;
    port2.postMessage(undefined);
  });
}
