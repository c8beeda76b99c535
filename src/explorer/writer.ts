/** Makes explorer/facets/N.txt and explorer/summary.json, of what threads have counted. */
import type { Contract } from "../contract/contract.js";
import { SortedFamily } from "../lookup/family.js";
import { FACET_FILES } from "../lookup/sizes.js";
import { TemporaryBytes } from "../lookup/temporary.js";
import type { PutFile } from "../lookup/writer.js";
import { TimeCounter } from "../markup/plots/times.js";
import { SUMMARY, sortedPath } from "../release/layout.js";
import { createTurns } from "../workers/turns.js";
import { FacetTally } from "./facets.js";
import { type Distribution, type ExplorerSummary, encodeSummary, type TimesSummary } from "./form.js";
import { type Counted, type Counts, countedFields } from "./gather.js";
import { IntegerCounter } from "./integers.js";

/** Terms that are merged or written at once. */
const TERMS = 50_000;

interface WriterOptions {
  contract: Contract;
  /** Of all records. */
  count: number;
}

/** To be closed in a `finally`. */
export class ExplorerWriter {
  readonly #temporary = new TemporaryBytes();
  readonly families: Readonly<Record<"facets", SortedFamily>>;
  readonly #fields: ReturnType<typeof countedFields>;
  readonly #times = new TimeCounter();
  readonly #integers: readonly IntegerCounter[];
  #count = 0;

  constructor({ contract, count }: WriterOptions) {
    this.families = {
      facets: new SortedFamily({ temporary: this.#temporary, count, isCut: false, hasAll: false, files: FACET_FILES }),
    };
    this.#fields = countedFields(contract);
    this.#integers = this.#fields.integers.map(() => new IntegerCounter());
  }

  /** In any order. */
  take({ facets, ...counts }: Counted): void {
    this.families.facets.take(facets);
    this.takeCounts(counts);
  }

  takeCounts({ count, times, integers }: Counts): void {
    this.#count += count;
    this.#times.join(times);
    for (const [field, counted] of integers.entries()) this.#integers[field]?.join(counted);
  }

  /** All that was counted besides facets. */
  counts(): Counts {
    const integers = this.#integers.map((counter) => counter.counted());
    return { count: this.#count, times: this.#times.counted(), integers };
  }

  /** Puts every file as soon as it is made, explorer/summary.json last. Nothing can be taken any more. */
  async finish(put: PutFile, signal?: AbortSignal): Promise<ExplorerSummary> {
    const turn = createTurns(TERMS, signal);
    const { facets } = this.families;
    await facets.merge(turn);
    const tally = new FacetTally(this.#fields.facets);
    for (const { term, count } of facets.counts()) {
      const wait = turn();
      if (wait) await wait;
      tally.add(term, count);
    }
    let number = 0;
    const lists = await facets.write({ turn, put: (bytes) => put(sortedPath("facets", ++number), bytes) });
    const summary: ExplorerSummary = {
      ...{ count: this.#count, facets: tally.facets(), lists },
      ...{ times: this.#timesSummary(), integers: this.#distributions(), version: 1 },
    };
    await put(SUMMARY, Buffer.from(encodeSummary(summary)));
    return summary;
  }

  close(): void {
    this.families.facets.close();
    this.#temporary.close();
  }

  #timesSummary(): TimesSummary | null {
    const { time } = this.#fields;
    const { ends } = this.#times.counted();
    if (!time || !ends) return null;
    const [first, last] = ends.map((end) => (end.includes("T") ? `${end}Z` : end));
    const { bins, ...rest } = this.#times.bins();
    const written = bins.map(({ start, end, counts: [count = 0] }) => ({
      from: start.toISOString(),
      to: end.toISOString(),
      count,
    }));
    return { path: time.path, first: first ?? "", last: last ?? "", bins: written, ...rest };
  }

  #distributions(): Distribution[] {
    return this.#fields.integers.flatMap(({ path }, at) => {
      const distribution = this.#integers[at]?.distribution();
      return distribution ? [{ path, ...distribution }] : [];
    });
  }
}
