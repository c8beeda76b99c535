/** Limits how many things go on, or are taken, at once. */

/** After a failure or an abort no further item is begun. Settles when nothing is under way. @throws the first failure. */
export async function each<T>(
  items: Iterable<T> | AsyncIterable<T>,
  most: number,
  work: (item: T) => Promise<void>,
  signal?: AbortSignal,
): Promise<void> {
  const iterator = Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]();
  const failures: unknown[] = [];
  const workOn = async () => {
    try {
      while (failures.length === 0) {
        signal?.throwIfAborted();
        const next = await iterator.next();
        if (next.done) return;
        await work(next.value);
      }
    } catch (error) {
      failures.push(error);
    }
  };
  await Promise.all(Array.from({ length: most }, workOn));
  if (failures.length > 0) throw failures[0];
}

/** A limit for work that is no sequence: each waits in `begin` for its turn, in order, and calls `end` once. */
export type AtMost = ReturnType<typeof atMost>;

export function atMost(most: number) {
  const waiting: (() => void)[] = [];
  let running = 0;
  return {
    async begin(): Promise<void> {
      if (running >= most) return new Promise<void>((resolve) => waiting.push(resolve));
      running++;
    },
    end() {
      const next = waiting.shift();
      if (next) next();
      else running--;
    },
  };
}

/** Items in groups of `size`, the last one maybe shorter, for jobs that take several. */
export function* inBatches<T>(items: Iterable<T>, size: number): Generator<T[]> {
  let batch: T[] = [];
  for (const item of items) {
    batch.push(item);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
