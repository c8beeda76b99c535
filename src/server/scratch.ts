/** Memory that is used again and again for answers that the system takes at once. */

/** Room for the headers of an answer in front of its body, so that the system gets one piece. */
const HEADROOM = 1_024;
const SMALLEST = 4_096;
/** Larger memory is not kept. */
const LARGEST = 2 ** 22;

/** Fresh memory for each page would cost five times the reading: the system clears it, piece by piece, at its first use. */
export class Scratch {
  readonly #free = new Map<number, Buffer>();

  /** `size` bytes, which the next `take` may give to another caller. */
  take(size: number): Buffer {
    const capacity = Math.max(SMALLEST, 2 ** Math.ceil(Math.log2(HEADROOM + size)));
    let memory = this.#free.get(capacity);
    if (!memory) {
      memory = Buffer.allocUnsafeSlow(capacity);
      if (capacity <= LARGEST) this.#free.set(capacity, memory);
    }
    return memory.subarray(HEADROOM, HEADROOM + size);
  }

  /** A head and then bytes that `take` gave, in one piece. Undefined if the head is too long. */
  withHead(head: string, { buffer, byteOffset, length }: Buffer): Buffer | undefined {
    if (head.length > HEADROOM) return undefined;
    const whole = Buffer.from(buffer, byteOffset - head.length, head.length + length);
    whole.write(head, "latin1");
    return whole;
  }

  /** The memory of these bytes is still being read, so it is not used again. */
  abandon({ buffer }: Buffer): void {
    this.#free.delete(buffer.byteLength);
  }
}
