/** Search results by name, key and facets, merged in published order. */
import type { Contract } from "../../core/contract/contract.js";
import { foldedWords } from "../../core/contract/lookup.js";
import type { Chosen, ListPlace } from "./address.js";
import type { ListedRow, ListingFacts, Reader } from "./reader.js";

/** Finds records by search text and filters, each once. A record whose key equals the text comes first. */
export async function* foundRows(reader: Reader, known: ListingFacts, place: ListPlace, signal: AbortSignal) {
  const text = place.text.trim();
  const isChosen = place.where.size > 0;
  const mayBeKey = text !== "" && isKey(text, known.contract);
  const mayBeName = text === "" || foldedWords(text).length > 0;
  const searches = combinations(place.where).flatMap((where) => [
    ...(mayBeKey ? [reader.search({ text, by: "key", where }, signal)] : []),
    ...(mayBeName ? [reader.search({ text, where }, signal)] : []),
  ]);
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

/** Maximum number of combinations of facet values. Each is a search. */
export const MOST_COMBINED = 200;

/** The first values of each path, with at most `MOST_COMBINED` combinations. */
export function searchable(where: ListPlace["where"]): ListPlace["where"] {
  let most = MOST_COMBINED;
  const kept = [...where].map(([path, values]) => {
    const first = values.slice(0, Math.max(1, most));
    most = Math.floor(most / first.length);
    return [path, first] as const;
  });
  return new Map(kept);
}

/** All combinations of one value of each path. */
function combinations(where: ListPlace["where"]): Record<string, Chosen>[] {
  let made: Record<string, Chosen>[] = [{}];
  for (const [path, values] of where) made = made.flatMap((one) => values.map((value) => ({ ...one, [path]: value })));
  return made;
}

/** Whether a text may be a prefix of a key. */
export function isKey(text: string, { key }: Pick<Contract, "key">): boolean {
  return key.kind === "text" || /^-?\d+$/.test(text);
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
