/** The values of facets with how many records have each, the most frequent ones, in bounded memory. */
import type { Field } from "../../contract/contract.js";
import type { Facet, FacetValue } from "../../explorer/summary.js";

/** More of them nobody looks through. */
const MOST_VALUES = 100;

interface Tally {
  field: Field;
  prefix: string;
  values: FacetValue[];
  distinct: number;
}

/** Is told each term once, in their order. */
export class FacetTally {
  readonly #tallies: readonly Tally[];

  constructor(fields: readonly Field[]) {
    this.#tallies = fields.map((field) => ({ field, prefix: `${field.path}=`, values: [], distinct: 0 }));
  }

  add(term: string, count: number): void {
    for (const tally of this.#tallies) {
      const read = term.startsWith(tally.prefix) ? readValue(term.slice(tally.prefix.length)) : undefined;
      if (!read) continue;
      tally.distinct++;
      tally.values.push({ value: read.value, count });
      if (tally.values.length >= 2 * MOST_VALUES) tally.values = mostFrequent(tally.values);
      return;
    }
    throw new Error(`${term} is no value of a facet`);
  }

  facets(): Facet[] {
    return this.#tallies.map(({ field: { path, names }, values, distinct }) => {
      const listed = mostFrequent(values);
      return { path, names, values: listed, more: distinct - listed.length };
    });
  }
}

/** Undefined where a path has = in it, and the beginning of a term only looks like another field's. */
function readValue(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Those that are equally frequent stay in the order of their terms. */
function mostFrequent(values: readonly FacetValue[]): FacetValue[] {
  return values.toSorted((one, other) => other.count - one.count).slice(0, MOST_VALUES);
}
