/** index.html and explorer/*: the web page, and the counts of all records that it shows. */
import { type Distribution, type ExplorerSummary, encodeSummary, type TimesSummary } from "../../explorer/summary.js";
import { TimeCounter } from "../../markup/plots/times.js";
import { EXPLORER, EXPLORER_FOLDER, SUMMARY, sortedPath } from "../../release/layout.js";
import { createTurns } from "../../workers/turns.js";
import type { Artifact, MergeContext, Merger } from "../artifact.js";
import { splitPieces } from "../artifact.js";
import { SortedFamily } from "../lookup/family.js";
import { FACET_FILES } from "../lookup/sizes.js";
import { textAt } from "../lookup/term.js";
import { countedFields, decodeCounts, ExplorerCollector } from "./collector.js";
import { FacetTally } from "./facets.js";
import { IntegerCounter } from "./integers.js";

export const EXPLORER_FILES: Artifact = {
  name: EXPLORER_FOLDER,
  collector: (contract) => new ExplorerCollector(contract),
  merger: (context) => new ExplorerMerger(context),
};

/** Terms between two moments at which a signal is looked at. */
const TERMS = 50_000;

export class ExplorerMerger implements Merger {
  readonly #facets: SortedFamily;
  readonly #fields: ReturnType<typeof countedFields>;
  readonly #times = new TimeCounter();
  readonly #integers: readonly IntegerCounter[];
  #count = 0;

  constructor(private readonly context: MergeContext) {
    const { contract, collection } = context;
    this.#facets = new SortedFamily({ count: collection.count, isCut: false, hasAll: false, files: FACET_FILES });
    this.#fields = countedFields(contract);
    this.#integers = this.#fields.integers.map(() => new IntegerCounter());
  }

  merge(piece: Uint8Array): void {
    const [facets, counted] = splitPieces(piece);
    if (facets) this.#facets.take(facets);
    const { count, times, integers } = decodeCounts(String(counted));
    this.#count += count;
    this.#times.join(times);
    for (const [field, values] of integers.entries())
      for (const [value, records] of values) this.#integers[field]?.add(value, records);
  }

  async write(signal: AbortSignal | undefined): Promise<void> {
    const { contract, collection, files, sink } = this.context;
    const summary = await this.writeSummary(signal);
    // The chart libraries take long to load.
    const { explorerAssets, explorerPage } = await import("../../explorer/html.js");
    await sink.put(EXPLORER, Buffer.from(explorerPage(contract, summary, { ...collection, files })));
    for (const [path, bytes] of explorerAssets()) await sink.put(path, bytes);
  }

  /** Puts all files that depend on records alone, explorer/summary.json last. */
  async writeSummary(signal: AbortSignal | undefined): Promise<ExplorerSummary> {
    const { sink } = this.context;
    const turn = createTurns(TERMS, signal);
    this.#facets.sort();
    const tally = new FacetTally(this.#fields.facets);
    for (const { place, numbers } of this.#facets.terms) {
      const wait = turn();
      if (wait) await wait;
      tally.add(textAt(place), numbers.length);
    }
    let number = 0;
    const lists = await this.#facets.write({ turn, put: (bytes) => sink.put(sortedPath("facets", ++number), bytes) });
    const summary: ExplorerSummary = {
      ...{ count: this.#count, facets: tally.facets(), lists },
      ...{ times: this.#timesSummary(), integers: this.#distributions(), version: 1 },
    };
    await sink.put(SUMMARY, Buffer.from(encodeSummary(summary)));
    return summary;
  }

  close(): void {
    this.#facets.close();
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
