/** Reads the changes, which are blocks of JSON in the report. A block is parsed only when needed. */
import { byId } from "../../markup/page/element.js";
import { textOf } from "../../markup/page/text.js";

type Kind = "added" | "removed" | "changed";

/** A field of a change. `old` and `now` are the same unless the record changed. */
interface Field {
  path: string;
  old: unknown;
  now: unknown;
}

export interface Change {
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

interface Facts {
  /** Paths, by the numbers that rows have for them. */
  paths: readonly string[];
  /** Paths of the fields that closed rows show. */
  facts: readonly string[];
  /** The explorer of the new snapshot, if there is one. */
  explorer?: string;
  /** Whether the explorer exists only once the new snapshot is published. */
  isUnpublished?: true;
}

const FACTS: Facts = JSON.parse(byId("contract", HTMLScriptElement).text);
export const { explorer: EXPLORER, isUnpublished: IS_UNPUBLISHED, facts: INTRODUCING } = FACTS;

/** All changes of a block, in order. A row is `[key, [name, ...], path, value, ...]`, or of a changed record `path, old, new`. */
function changesOf({ source, kind }: Block): Change[] {
  const step = kind === "changed" ? 3 : 2;
  return JSON.parse(source.textContent ?? "").map(([id, names, ...values]: [unknown, string[], ...unknown[]]) => {
    const fields: Field[] = [];
    for (let at = 0; at < values.length; at += step)
      fields.push({ path: FACTS.paths[Number(values[at])] ?? "", old: values[at + 1], now: values[at + step - 1] });
    return { kind, id: String(id), names, fields };
  });
}

/** The changes with these numbers, which must be in ascending order. */
export function changesAt(numbers: readonly number[]): Change[] {
  let block: Block | undefined;
  let changes: Change[] = [];
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
export async function* search(filter: Filter): AsyncGenerator<{ found: readonly number[]; part: number }> {
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
function matcher({ text, path }: Filter): ((change: Change) => boolean) | undefined {
  if (text === "" && path === "") return undefined;
  const pattern = new RegExp(text.normalize().replace(/[$()*+.?[\\\]^{|}]/g, "\\$&"), "iu");
  // Normalization makes both forms of an accent equal.
  const matches = (value: unknown) => pattern.test(textOf(value).normalize());
  return ({ id, names, fields }) => {
    if (path !== "" && !fields.some((field) => field.path === path)) return false;
    return (
      text === "" || matches(id) || names.some(matches) || fields.some(({ old, now }) => matches(old) || matches(now))
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
