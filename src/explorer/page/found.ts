/** Search results by name, key and facets, merged in published order. */
import type { AnyRecord } from "../../contract/contract.js";
import { foldedWords } from "../../contract/lookup.js";
import { valueAt } from "../../contract/record/value.js";
import type { ListPlace } from "./address.js";
import type { ListedRow, Reader, SnapshotFacts } from "./reader.js";

/** Finds records by search text and filters, each once. A record whose key equals the text comes first. */
export async function* foundRows(reader: Reader, known: SnapshotFacts, place: ListPlace, signal: AbortSignal) {
  const text = place.text.trim();
  const where = Object.fromEntries(place.where);
  const isChosen = place.where.size > 0;
  if (text === "") {
    yield* reader.search({ text, where }, signal);
    return;
  }
  const mayBeKey = isKey(text, known);
  const searches = [
    ...(mayBeKey ? [reader.search({ text, by: "key", where }, signal)] : []),
    ...(foldedWords(text).length > 0 ? [reader.search({ text, where }, signal)] : []),
  ];
  const rows = mergeInOrder(searches);
  try {
    // In parallel, to save time.
    const [exact, first] = await Promise.all([
      mayBeKey && !isChosen ? reader.find(text, signal) : undefined,
      rows.next(),
    ]);
    if (exact) yield exact;
    for (let next = first; !next.done; next = await rows.next())
      if (next.value.number !== exact?.number) yield next.value;
  } finally {
    await rows.return(undefined);
  }
}

/** Whether a text may be a prefix of a key. */
function isKey(text: string, { contract }: SnapshotFacts): boolean {
  return contract.key.kind === "text" || /^-?\d+$/.test(text);
}

/** Merges sequences in published order, without duplicates. */
async function* mergeInOrder(sequences: readonly AsyncGenerator<ListedRow, void>[]): AsyncGenerator<ListedRow> {
  try {
    let heads = await Promise.all(sequences.map(async (rest) => ({ rest, next: await rest.next() })));
    while (true) {
      heads = heads.filter(({ next }) => !next.done);
      const least = Math.min(...heads.map(({ next }) => (next.value as ListedRow).number));
      const [first] = heads.filter(({ next }) => (next.value as ListedRow).number === least);
      if (!first) return;
      yield first.next.value as ListedRow;
      heads = await Promise.all(
        heads.map(async ({ rest, next }) => ({
          rest,
          next: (next.value as ListedRow).number === least ? await rest.next() : next,
        })),
      );
    }
  } finally {
    await Promise.all(sequences.map((rest) => rest.return(undefined)));
  }
}

/** A record's key as text, and its label if it differs from the key. */
export function namesOf(record: AnyRecord, { contract: { key, label } }: Pick<SnapshotFacts, "contract">) {
  const id = String(valueAt(record, key));
  const named = valueAt(record, label);
  const name = typeof named === "number" || typeof named === "boolean" ? String(named) : named;
  // A blank link would be invisible.
  const shownId = isBlank(id) ? JSON.stringify(id) : id;
  return { id, shownId, name: typeof name === "string" && !isBlank(name) && name !== id ? name : undefined };
}

function isBlank(text: string): boolean {
  return text.trim() === "";
}
