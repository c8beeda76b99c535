/** The beginnings of terms whose lines lie in several files, and which records have them. */
import { type BytePlace, oneMore } from "./terms.js";

const BITS = 32;

/** The numbers of records, with a bit for each record that there is. */
export class RecordSet {
  /** Signed, since JavaScript's bit operations make signed numbers. */
  readonly #words: Int32Array<ArrayBuffer>;

  constructor(count: number) {
    this.#words = new Int32Array(Math.ceil(count / BITS));
  }

  add(numbers: readonly number[], begin = 0, end = numbers.length): void {
    for (let at = begin; at < end; at++) {
      const number = numbers[at] ?? 0;
      this.#words[number >>> 5] = (this.#words[number >>> 5] ?? 0) | (1 << (number & 31));
    }
  }

  /** Adds the records of another set. @returns whether this one has a record that the other lacks */
  join(other: RecordSet): boolean {
    const [words, others] = [this.#words, other.#words];
    let ownAlone = 0;
    for (let at = 0; at < words.length; at++) {
      const own = words[at] ?? 0;
      const added = others[at] ?? 0;
      ownAlone |= own & ~added;
      words[at] = own | added;
    }
    return ownAlone !== 0;
  }

  /** Calls `take` with each number, in ascending order. */
  forEach(take: (number: number) => void): void {
    for (let at = 0; at < this.#words.length; at++)
      for (let word = this.#words[at] ?? 0; word !== 0; word &= word - 1)
        take(at * BITS + 31 - Math.clz32(word & -word));
  }

  clear(): this {
    this.#words.fill(0);
    return this;
  }
}

/** A line of the file that is being written. */
export interface HeldLine {
  /** Where its numbers begin among those of all lines. */
  begin: number;
  /** Bytes that its term shares with that of the line before. */
  shared: number;
}

interface Open {
  /** Bytes of it. */
  length: number;
  /** Its records, except those of longer ones that are open; undefined where there are no others. */
  records: RecordSet | undefined;
}

/**
 * Takes a beginning that no further term has, and its records, which are valid during the call.
 * @param isSame whether the one that ended right before has the same records.
 */
export type TakeEnded = (length: number, records: RecordSet, isSame: boolean) => void;

/** All that are open are beginnings of the last term, so they are named by their lengths alone. */
export class OpenBeginnings {
  /** From the shortest to the longest. */
  readonly #open: Open[] = [];
  /** Memory that is used again: there are hundreds of beginnings, and each has a bit for every record. */
  readonly #spare: RecordSet[] = [];

  constructor(private readonly count: number) {}

  /** Bytes of the longest one; 0 where none is open. */
  get longest(): number {
    return this.#open.at(-1)?.length ?? 0;
  }

  /**
   * A file ends behind the last term, and the next one begins with the same `length` bytes.
   * @param held the lines of the file, and `numbers` those of all of them.
   */
  open(last: BytePlace, length: number, held: readonly HeldLine[], numbers: readonly number[]): void {
    const before = this.#open.length;
    for (let at = this.longest; at < length; ) {
      at = oneMore(last, at);
      this.#open.push({ length: at, records: undefined });
    }
    let shared = length;
    let level = this.#open.length - 1;
    let end = numbers.length;
    for (const line of held.toReversed()) {
      while (level >= before && (this.#open[level]?.length ?? 0) > shared) level--;
      const open = this.#open[level];
      if (!open || level < before) return;
      this.#add(open, numbers, line.begin, end);
      end = line.begin;
      shared = Math.min(shared, line.shared);
    }
  }

  /** Adds the records of a term that begins with all that are open. */
  add(numbers: readonly number[]): void {
    const longest = this.#open.at(-1);
    if (longest) this.#add(longest, numbers);
  }

  /** Ends those that are longer than what the next term shares with the last one, the longest first. */
  end(shared: number, take: TakeEnded): void {
    let inner: RecordSet | undefined;
    for (let open = this.#open.at(-1); open && open.length > shared; open = this.#open.at(-1)) {
      this.#open.pop();
      const isSame = inner !== undefined && !this.#join(open, inner);
      inner = open.records ?? this.#newSet();
      take(open.length, inner, isSame);
    }
    const outer = this.#open.at(-1);
    if (outer && inner) this.#join(outer, inner);
    else if (inner) this.#spare.push(inner);
  }

  #add(open: Open, ...numbers: Parameters<RecordSet["add"]>): void {
    open.records ??= this.#newSet();
    open.records.add(...numbers);
  }

  /** Adds the records of a longer beginning, which has ended. @returns whether there are others. */
  #join(open: Open, inner: RecordSet): boolean {
    if (!open.records) {
      open.records = inner;
      return false;
    }
    this.#spare.push(inner);
    return open.records.join(inner);
  }

  #newSet(): RecordSet {
    return this.#spare.pop()?.clear() ?? new RecordSet(this.count);
  }
}
