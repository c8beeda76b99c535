/** Reads steps: files that say what to do to a copy of an earlier snapshot. */

/** How many plain bytes a step may have whose file has so many, so that no reader has to unpack what never ends. */
export function mostPlainBytes(bytes: number): number {
  return 1_000_000 + 100 * bytes;
}
