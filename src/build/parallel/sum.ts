/** What all threads have done so far, added up as their batches come, in any order. */
import type { MembersInTurn } from "../../bulk/turn.js";
import { countWarning, type WarningCounts } from "../../contract/record/warnings.js";
import type { PageDigests } from "../../release/digests.js";
import type { RecordListWriter } from "../../release/record/list.js";
import { pagesOf } from "../../shards/cut.js";
import type { GatheredFiles } from "../gather.js";
import type { Spent, Totals } from "../page-writer.js";
import type { PageJob, PageResult } from "./messages.js";

export class Sum {
  readonly totals: Totals = { bytes: 0, linked: 0, changed: 0 };
  readonly warnings: WarningCounts = {};
  readonly spent: Spent = { read: 0, check: 0, digest: 0, write: 0 };
  pages = 0;
  isInvalid = false;

  /** @param before how many pages come before those that are written here. */
  constructor(
    readonly before: number,
    readonly sums: PageDigests,
    readonly list: RecordListWriter,
    readonly bulk: MembersInTurn | undefined,
    readonly gathered: GatheredFiles | undefined,
  ) {}

  /** @returns false when no more is wanted, or what to wait for before more is. */
  add(batch: PageJob, result: PageResult): false | Promise<void> | undefined {
    let added: Promise<void> | undefined;
    this.isInvalid ||= result.kind === "invalid";
    if (batch.kind === "write" && result.kind === "written") {
      const pages = pagesOf(batch.range);
      this.pages += pages;
      const first = batch.range.first - this.before;
      const lines = Buffer.from(result.lines.buffer);
      this.sums.fill(first, result.digests);
      this.list.add(first, pages, lines);
      if (result.gathered) this.gathered?.take(result.gathered);
      added = this.bulk?.add(first, pages, result.members);
      addAll(this.totals, result.totals);
      addAll(this.spent, result.spent);
      for (const [kind, records] of Object.entries(result.warnings)) countWarning(this.warnings, kind, records);
    }
    if (!this.isInvalid) return added;
    // Others may wait for pages that do not come any more.
    this.bulk?.close();
    return false;
  }
}

function addAll<Key extends string>(sum: Partial<Record<Key, number>>, part: Partial<Record<Key, number>>): void {
  for (const key of Object.keys(part) as Key[]) sum[key] = (sum[key] ?? 0) + (part[key] ?? 0);
}
