/** A family of sorted files that a thread of its own makes, while other work goes on here. */
import type { Beginnings } from "../contract/lookup.js";
import { ThreadPool } from "../workers/pool.js";
import type { FamilyForm } from "./family.js";
import type { FilesOptions } from "./files.js";
import type { Run } from "./runs/run.js";
import type { FamilyJob, FamilyResult } from "./worker.js";

/** Little of what it makes outlives the next term. */
const LIMITS = { maxYoungGenerationSizeMb: 12 };

/** What it answers is what a `SortedFamily` does. Call `close` in a `finally`. */
export class FamilyApart {
  readonly #pool: ThreadPool<FamilyForm, FamilyJob, FamilyResult>;
  /** Each job waits for the one before, and fails as that did. */
  #last: Promise<unknown> = Promise.resolve();
  #cut: Promise<FamilyResult & { kind: "cut" }> | undefined;

  constructor(form: FamilyForm, signal: AbortSignal | undefined) {
    const file = new URL("./worker.js", import.meta.url);
    const given = (job: FamilyJob) => (job.kind === "take" ? [job.run.bytes.buffer] : []);
    this.#pool = new ThreadPool({ size: 1, file, data: form, given, limits: LIMITS, signal });
  }

  /** The run's memory is gone afterwards. @returns when there is room for more. */
  async take(run: Run): Promise<void> {
    await this.#ask("taken", { kind: "take", run });
  }

  /** Begins to sort, and to cut files. Nothing can be taken any more. */
  begin(): void {
    this.#cut = this.#ask("cut", { kind: "cut" });
  }

  /** After `begin`. */
  async write({ put }: Pick<FilesOptions, "put">): Promise<Beginnings> {
    if (!this.#cut) throw new Error("Files are written before they are cut");
    const { beginnings } = await this.#cut;
    for (;;) {
      const { files } = await this.#ask("files", { kind: "next" });
      if (files.length === 0) return beginnings;
      for (const file of files) await put(Buffer.from(file.buffer, file.byteOffset, file.length));
    }
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }

  #ask<Kind extends FamilyResult["kind"]>(kind: Kind, job: FamilyJob): Promise<FamilyResult & { kind: Kind }> {
    const answered = this.#last.then(async () => {
      const result = await this.#pool.ask(job);
      if (result.kind !== kind) throw new Error(`A thread answered ${job.kind} with ${result.kind}`);
      return result as FamilyResult & { kind: Kind };
    });
    this.#last = answered;
    // Whoever waits for it, or for a later one, is told.
    answered.catch(() => {});
    return answered;
  }
}
