/** Checks all pages of a release, by several threads where that is worth it, with the same result. */
import type { PageDigests } from "../../release/digests.js";
import { threadsFor } from "../../workers/size.js";
import { createTurns } from "../../workers/turns.js";
import { PoolWorker } from "../../workers/worker.js";
import { createBatchChecker } from "./batch.js";
import type { Batch, Checked, Outline } from "./messages.js";

/** Below this many users, starting threads takes longer than they save. */
const WORTHWHILE = 20_000;

/** Enough that orders cost nothing, few enough that no thread waits long for the others. */
const PAGES_A_STRETCH = 16;

export interface CheckOptions {
  pages: number;
  digests: PageDigests | undefined;
  /** Threads; 0 is none. As many as cores unless given, and none for small releases. */
  workers: number | undefined;
  signal: AbortSignal | undefined;
  /** Told each stretch as soon as it is checked, in any order. */
  take(stretch: Batch, checked: Checked): void;
}

/** @throws UserError when a file cannot be read. */
export async function checkPages(outline: Outline, options: CheckOptions): Promise<void> {
  const { pages, digests, signal, take } = options;
  const count = outline.snapshot?.count ?? 0;
  const size = threadsFor(count, options.workers, WORTHWHILE);
  const queue = stretches(pages, digests);
  if (size === 0) return checkAlone(outline, queue, options);
  const workers = Array.from({ length: size }, () => {
    return new PoolWorker<Batch, Checked>(new URL("./worker.js", import.meta.url), outline, { signal });
  });
  try {
    await Promise.all(
      workers.map(async (worker) => {
        for (const stretch of queue) take(stretch, await worker.ask(stretch));
      }),
    );
  } finally {
    await Promise.all(workers.map((worker) => worker.end()));
  }
}

async function checkAlone(outline: Outline, queue: Iterable<Batch>, { take, signal }: CheckOptions): Promise<void> {
  const checker = createBatchChecker(outline);
  const turn = createTurns(1, signal);
  try {
    for (const stretch of queue) {
      await turn();
      take(stretch, checker.check(stretch));
    }
  } finally {
    checker.close();
  }
}

function* stretches(pages: number, digests: PageDigests | undefined): Generator<Batch, void> {
  for (let first = 1; first <= pages; first += PAGES_A_STRETCH) {
    const length = Math.min(PAGES_A_STRETCH, pages - first + 1);
    yield { first, pages: length, digests: digests?.slice(first, length) };
  }
}
