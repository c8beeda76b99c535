/** Reusable memory for responses. */

/** Bytes for the headers in front of a body, so that one write sends both. */
const HEADROOM = 1_024;
const SMALLEST = 4_096;
/** Larger buffers are not kept. */
const LARGEST = 2 ** 22;

/** A pool of buffers. A new buffer for each page would cost five times the reading, since the system clears new memory. */
export class Scratch {
  readonly #free = new Map<number, Buffer>();

  /** Returns `size` bytes, valid until the next `take`. */
  take(size: number): Buffer {
    const capacity = Math.max(SMALLEST, 2 ** Math.ceil(Math.log2(HEADROOM + size)));
    let memory = this.#free.get(capacity);
    if (!memory) {
      memory = Buffer.allocUnsafeSlow(capacity);
      if (capacity <= LARGEST) this.#free.set(capacity, memory);
    }
    return memory.subarray(HEADROOM, HEADROOM + size);
  }

  /** Writes a head in front of bytes from `take`. @returns both in one buffer; undefined if the head is too long. */
  withHead(head: string, { buffer, byteOffset, length }: Buffer): Buffer | undefined {
    if (head.length > HEADROOM) return undefined;
    const whole = Buffer.from(buffer, byteOffset - head.length, head.length + length);
    whole.write(head, "latin1");
    return whole;
  }

  /** Gives up the memory of bytes that the system is still sending, so that it is not reused. */
  discard({ buffer }: Buffer): void {
    this.#free.delete(buffer.byteLength);
  }
}
