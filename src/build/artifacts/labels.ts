/** labels.json: the names of all records of a listing that others refer to, for the explorers of those. */
import type { Contract } from "../../core/contract/contract.js";
import { type PageRecords, recordsOf } from "../../core/contract/record/split.js";
import { encodeLabels, labelOf, MOST_LABEL_BYTES, MOST_LABELED } from "../../explorer/labels.js";

/** The number of a record, its key and its label. */
type Numbered = readonly [number: number, labeled: readonly [key: string | number, label: string]];

/** Collects labels of a batch, until a listing has too many records for them. */
export class LabelCollector {
  #labels: Numbered[] = [];
  #records = 0;

  constructor(private readonly contract: Contract) {}

  collect(page: PageRecords): void {
    // Without a label, nothing but the key names a record.
    if (this.contract.label.path === this.contract.key.path) return;
    for (const [number, begin, end] of recordsOf(page)) {
      this.#records++;
      if (this.#records > MOST_LABELED) return;
      const labeled = labelOf(JSON.parse(page.bytes.toString("utf8", begin, end)), this.contract);
      if (labeled) this.#labels.push([number, labeled]);
    }
  }

  take(): Buffer {
    const bytes = Buffer.from(JSON.stringify(this.#labels));
    this.#labels = [];
    return bytes;
  }
}

/** Joins the labels of batches. The result does not depend on their order. */
export class LabelMerger {
  readonly #labels: Numbered[] = [];

  constructor(private readonly contract: Contract) {}

  merge(piece: Uint8Array): void {
    for (const numbered of JSON.parse(Buffer.from(piece).toString()) as Numbered[]) {
      if (this.#labels.length > MOST_LABELED) return;
      this.#labels.push(numbered);
    }
  }

  /** The file, in published order; undefined if records have no labels but their keys, if they are too many, or if the file would be too large. */
  file(count: number): Buffer | undefined {
    if (this.contract.label.path === this.contract.key.path || count > MOST_LABELED) return undefined;
    const labels = this.#labels.toSorted(([one], [other]) => one - other).map(([, labeled]) => labeled);
    const bytes = Buffer.from(encodeLabels(labels));
    return bytes.length > MOST_LABEL_BYTES ? undefined : bytes;
  }
}
