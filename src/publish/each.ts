/** Works through a sequence several at a time, without taking more of it than is at work. */

const AT_ONCE = 16;

/** Resolves when every item is done. After the first failure no further item is begun, and it is thrown at the end. */
export async function each<T>(items: Iterable<T>, work: (item: T) => Promise<void>): Promise<void> {
  const iterator = items[Symbol.iterator]();
  const failures: unknown[] = [];
  const workOn = async () => {
    for (let next = iterator.next(); !next.done && failures.length === 0; next = iterator.next()) {
      await work(next.value).catch((error: unknown) => failures.push(error));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, workOn));
  if (failures.length > 0) throw failures[0];
}
