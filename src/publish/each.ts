/** Works through a sequence several at a time, without taking more of it than is at work. */

const AT_ONCE = 16;

/**
 * Resolves when every item is done. After the first failure, or once the signal is aborted, no further item is begun;
 * what it was is thrown at the end.
 */
export async function each<T>(
  items: Iterable<T> | AsyncIterable<T>,
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
  await Promise.all(Array.from({ length: AT_ONCE }, workOn));
  if (failures.length > 0) throw failures[0];
}
