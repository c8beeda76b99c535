/** The beginnings of terms whose lines lie in several files, and which records have them. */
import { addBits, type Bits, bitsOf, setBits } from "./numbers.js";
import { type BytePlace, oneMore } from "./term.js";

/** A line of the file that is being written. */
export interface HeldLine {
  /** Where its digits stand in the file, and where they end. */
  listBegin: number;
  listEnd: number;
  /** Bytes that its term shares with that of the line before. */
  shared: number;
}

interface Open {
  /** Bytes of it. */
  length: number;
  /** Its records, but for those that stand with longer ones; undefined where there are no others. */
  bits: Bits | undefined;
}

/**
 * Is told of a beginning that no further term has, and of its records, for a moment.
 * @param isSame whether the one that ended right before has the same records.
 */
export type TakeEnded = (length: number, bits: Bits, isSame: boolean) => void;

/** All that are open are beginnings of the last term, so they are named by their lengths alone. */
export class OpenBeginnings {
  /** From the shortest to the longest. */
  readonly #open: Open[] = [];
  /** Memory that is used again: there are hundreds of beginnings, and each has a bit for every record. */
  readonly #spare: Bits[] = [];

  constructor(private readonly count: number) {}

  /** Bytes of the longest one; 0 where none is open. */
  get longest(): number {
    return this.#open.at(-1)?.length ?? 0;
  }

  /**
   * A file ends behind the last term, and the next one begins with the same `length` bytes.
   * @param held the lines of the file, whose digits stand in `bytes`.
   */
  open(last: BytePlace, length: number, held: readonly HeldLine[], bytes: Uint8Array): void {
    const before = this.#open.length;
    for (let at = this.longest; at < length; ) {
      at = oneMore(last, at);
      this.#open.push({ length: at, bits: undefined });
    }
    let shared = length;
    let level = this.#open.length - 1;
    for (const line of held.toReversed()) {
      while (level >= before && (this.#open[level]?.length ?? 0) > shared) level--;
      const open = this.#open[level];
      if (!open || level < before) return;
      this.#add(open, bytes, line.listBegin, line.listEnd);
      shared = Math.min(shared, line.shared);
    }
  }

  /** Adds the records of a term that begins with all that are open. */
  add(bytes: Uint8Array, listBegin: number, listEnd: number): void {
    const longest = this.#open.at(-1);
    if (longest) this.#add(longest, bytes, listBegin, listEnd);
  }

  /** Ends those that are longer than what the next term shares with the last one, the longest first. */
  end(shared: number, take: TakeEnded): void {
    let inner: Bits | undefined;
    for (let open = this.#open.at(-1); open && open.length > shared; open = this.#open.at(-1)) {
      this.#open.pop();
      const isSame = inner !== undefined && !this.#join(open, inner);
      inner = open.bits ?? this.#bits();
      take(open.length, inner, isSame);
    }
    const outer = this.#open.at(-1);
    if (outer && inner) this.#join(outer, inner);
    else if (inner) this.#spare.push(inner);
  }

  #add(open: Open, bytes: Uint8Array, listBegin: number, listEnd: number): void {
    open.bits ??= this.#bits();
    setBits(open.bits, bytes, listBegin, listEnd);
  }

  /** Adds the records of a longer beginning, which has ended. @returns whether there are others. */
  #join(open: Open, inner: Bits): boolean {
    if (!open.bits) {
      open.bits = inner;
      return false;
    }
    const isMore = addBits(open.bits, inner);
    this.#spare.push(inner);
    return isMore;
  }

  #bits(): Bits {
    return this.#spare.pop()?.fill(0) ?? bitsOf(this.count);
  }
}
