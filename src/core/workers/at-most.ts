/** Limits concurrency, and groups items into batches. */

/** Runs `work` for each item, at most `most` at once. Begins no item after a failure or an abort. Settles when all running ones have. @throws the first failure. */
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

/** Groups items into batches of `size`; the last one may be shorter. */
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
