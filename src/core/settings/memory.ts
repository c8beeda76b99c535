/** The memory that this process may use. */
import { totalmem } from "node:os";

/** Bytes of the machine's memory, or of what a container or a service may have of it. */
export function memoryLimit(): number {
  // 0, undefined or more than the machine has if there is no limit.
  const limit = process.constrainedMemory() || Number.POSITIVE_INFINITY;
  return Math.min(limit, totalmem());
}
