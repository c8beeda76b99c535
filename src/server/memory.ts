/** The memory that pages take: how much of them to keep, and what those that are not kept are read into. */
import { totalmem } from "node:os";

const MB = 1024 * 1024;

/** Of the memory that there is. The system needs some for the files themselves, and other programs need some, too. */
const SHARE = 0.25;

/** Megabytes of pages to keep where nobody says how many, for all processes of one server together. */
export function defaultCacheMb(): number {
  // Of a container or a service, the limit that it has; 0 or undefined where there is none, or more than the machine has.
  const limit = process.constrainedMemory() || Number.POSITIVE_INFINITY;
  return Math.floor((Math.min(limit, totalmem()) * SHARE) / MB);
}

/** In front of bytes that are lent, for the headers of the answer that they are the body of: so the system gets one piece. */
export const HEADROOM = 1_024;

/** Bytes that are used again once they have been sent. */
export interface Loan {
  /** With `HEADROOM` bytes in front of them, in the same memory. */
  bytes: Buffer;
  /** To be called once, when nobody reads the bytes any more; without a call, they are garbage like any other. */
  giveBack(): void;
}

/** What is kept for the next page; what is lent at the moment is bounded by the connections. */
const MOST_IDLE = 16 * MB;
const SMALLEST = 4_096;

/** Fresh memory for each page would cost five times the reading: the system clears it, piece by piece, at its first use. */
export function createLender() {
  const idle = new Map<number, Buffer[]>();
  let idleBytes = 0;
  return (size: number): Loan => {
    const capacity = Math.max(SMALLEST, 2 ** Math.ceil(Math.log2(HEADROOM + size)));
    const waiting = idle.get(capacity) ?? [];
    idle.set(capacity, waiting);
    const used = waiting.pop();
    if (used) idleBytes -= capacity;
    const whole = used ?? Buffer.allocUnsafeSlow(capacity);
    return {
      bytes: whole.subarray(HEADROOM, HEADROOM + size),
      giveBack() {
        if (idleBytes + capacity > MOST_IDLE) return;
        idleBytes += capacity;
        waiting.push(whole);
      },
    };
  };
}
