/**
 * What has been answered so far, as one list of numbers: adding to it costs next to nothing, and it is sent to another
 * process as it is. Numbers only grow.
 */
import type { Variant } from "../release/layout.js";

const VARIANTS = { identity: 0, gzip: 1, br: 2 } as const satisfies Record<Variant, number>;
/** The first digit of a status is 1 to 5. */
const CLASSES = 6;
const SLOTS = CLASSES * Object.keys(VARIANTS).length;

/** Where each number stands, behind the requests and their bytes. */
const EVENTS = {
  cacheHits: 2 * SLOTS,
  cacheReads: 2 * SLOTS + 1,
  damaged: 2 * SLOTS + 2,
  switches: 2 * SLOTS + 3,
  refused: 2 * SLOTS + 4,
  unlogged: 2 * SLOTS + 5,
} as const;
type CountedEvent = keyof typeof EVENTS;

/** Where answers of a status and an encoding are counted: heads know it, so that a request need not find it. */
export function slotOf(status: number, variant: Variant): number {
  return Math.floor(status / 100) * 3 + VARIANTS[variant];
}

export class ServerCounts {
  readonly numbers = new Float64Array(2 * SLOTS + Object.keys(EVENTS).length);

  /** @param slot by `slotOf`. @param bytes of the body that is sent. */
  answer(slot: number, bytes: number): void {
    this.numbers[slot] = (this.numbers[slot] ?? 0) + 1;
    this.numbers[SLOTS + slot] = (this.numbers[SLOTS + slot] ?? 0) + bytes;
  }

  add(event: CountedEvent): void {
    const at = EVENTS[event];
    this.numbers[at] = (this.numbers[at] ?? 0) + 1;
  }

  of(event: CountedEvent): number {
    return this.numbers[EVENTS[event]] ?? 0;
  }

  /** Adds what another process has counted since it last told. */
  addSince(last: Float64Array | undefined, now: Float64Array): void {
    for (const [at, number] of now.entries()) this.numbers[at] = (this.numbers[at] ?? 0) + number - (last?.[at] ?? 0);
  }

  /** All answers by class of status (`2xx`) and encoding, also those that were none. */
  *answers(): Generator<{ status: string; encoding: Variant; requests: number; bytes: number }> {
    for (let first = 2; first < CLASSES; first++)
      for (const [encoding, at] of Object.entries(VARIANTS) as [Variant, number][]) {
        const slot = first * 3 + at;
        const [requests = 0, bytes = 0] = [this.numbers[slot], this.numbers[SLOTS + slot]];
        yield { status: `${first}xx`, encoding, requests, bytes };
      }
  }
}
