/** How many threads are worth starting. */
import { availableParallelism } from "node:os";

/**
 * As many as wanted; unless somebody wants a number, as many as cores, or none for so few users that starting threads
 * takes longer than they save.
 */
export function threadsFor(users: number, wanted: number | undefined, worthwhile: number): number {
  return wanted ?? (users < worthwhile ? 0 : availableParallelism());
}
