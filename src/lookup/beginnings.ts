/** The beginnings of terms whose lines lie in several files, and which records have them. */
import { addBits, bitsOf } from "./bits.js";
import type { BytePlace } from "./lines.js";
import { setBits } from "./numbers.js";
import { oneMore } from "./term.js";

/** A line of the file that is being written. */
export interface HeldLine {
  listBegin: number;
  listEnd: number;
  /** Bytes that its term shares with that of the line before. */
  shared: number;
}

interface Open {
  /** Bytes of it. */
  length: number;
  /** Its records, but for those that stand with longer ones; undefined where there are no others. */
  bits: Uint32Array | undefined;
}

/** A beginning that no further term has. */
export interface Ended {
  length: number;
  bits: Uint32Array;
  /** Whether the one that ended right before has the same records. */
  isSame: boolean;
}

/** All that are open are beginnings of the last term, so they are named by their lengths alone. */
export class OpenBeginnings {
  /** From the shortest to the longest. */
  readonly #open: Open[] = [];

  constructor(private readonly count: number) {}

  /**
   * A file ends behind the last term, and the next one begins with the same `length` bytes.
   * @param held the lines of the file, whose digits stand in `bytes`.
   */
  open(last: BytePlace, length: number, held: readonly HeldLine[], bytes: Uint8Array): void {
    const before = this.#open.length;
    for (let at = this.#longest(); at < length; ) {
      at = oneMore(last, at);
      this.#open.push({ length: at, bits: undefined });
    }
    let shared = length;
    for (let line = held.length - 1, level = this.#open.length - 1; line >= 0; line--) {
      while (level >= before && (this.#open[level]?.length ?? 0) > shared) level--;
      const [open, { listBegin = 0, listEnd = 0, shared: withBefore = 0 } = {}] = [this.#open[level], held[line]];
      if (!open || level < before) return;
      this.#add(open, bytes, listBegin, listEnd);
      shared = Math.min(shared, withBefore);
    }
  }

  /** Adds the records of a term that begins with all that are open. */
  add(bytes: Uint8Array, listBegin: number, listEnd: number): void {
    const longest = this.#open.at(-1);
    if (longest) this.#add(longest, bytes, listBegin, listEnd);
  }

  /** Ends those that are longer than what the next term shares with the last one, the longest first. */
  *end(shared: number): Generator<Ended> {
    let inner: Uint32Array | undefined;
    for (let open = this.#open.at(-1); open && open.length > shared; open = this.#open.at(-1)) {
      this.#open.pop();
      const isSame = inner !== undefined && !join(open, inner);
      inner = open.bits ?? bitsOf(this.count);
      yield { length: open.length, bits: inner, isSame };
    }
    const outer = this.#open.at(-1);
    if (outer && inner) join(outer, inner);
  }

  #longest(): number {
    return this.#open.at(-1)?.length ?? 0;
  }

  #add(open: Open, bytes: Uint8Array, listBegin: number, listEnd: number): void {
    open.bits ??= bitsOf(this.count);
    setBits(open.bits, bytes, listBegin, listEnd);
  }
}

/** Adds the records of a longer beginning. @returns whether there are others. */
function join(open: Open, inner: Uint32Array): boolean {
  if (open.bits) return addBits(open.bits, inner);
  open.bits = inner;
  return false;
}
