/** Prefixes of terms whose lines are spread over several files, with the records that have them. */
import { type BytePlace, extendByCharacter } from "./terms.js";

const BITS = 32;

/** A bit set of record numbers. */
export class RecordSet {
  /** Signed, as the results of JavaScript's bit operations. */
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

  /** Adds the records of another set. @returns whether this one had a record that the other does not have */
  join(other: RecordSet): boolean {
    const words = this.#words;
    const others = other.#words;
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

/** A line of the current file. */
export interface HeldLine {
  /** Index of its first number among those of all lines. */
  begin: number;
  /** Bytes that its term shares with the term of the line before. */
  shared: number;
}

interface OpenPrefix {
  /** Its length in bytes. */
  length: number;
  /** Its records, without those of longer open prefixes; undefined if there are none. */
  records: RecordSet | undefined;
}

/**
 * Called with a prefix that no further term has, and its records, which are valid only during the call.
 * @param isSame whether the prefix that ended just before has the same records.
 */
export type OnPrefixEnd = (length: number, records: RecordSet, isSame: boolean) => void;

/** The open prefixes. All are prefixes of the last term, so that their lengths identify them. */
export class OpenPrefixes {
  /** Sorted by length, shortest first. */
  readonly #open: OpenPrefix[] = [];
  /** Sets to be reused: there are hundreds of prefixes, each with a bit for every record. */
  readonly #spare: RecordSet[] = [];

  constructor(private readonly count: number) {}

  /** Length of the longest open prefix in bytes; 0 if none is open. */
  get longest(): number {
    return this.#open.at(-1)?.length ?? 0;
  }

  /**
   * Opens prefixes at the end of a file. The next file begins with the same `length` bytes as the last term.
   * @param held the lines of the file. @param numbers the record numbers of all these lines.
   */
  open(last: BytePlace, length: number, held: readonly HeldLine[], numbers: readonly number[]): void {
    const before = this.#open.length;
    for (let at = this.longest; at < length; ) {
      at = extendByCharacter(last, at);
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

  /** Adds the records of a term that has all open prefixes. */
  add(numbers: readonly number[]): void {
    const longest = this.#open.at(-1);
    if (longest) this.#add(longest, numbers);
  }

  /** Ends prefixes that are longer than what the next term shares with the last one, longest first. */
  end(shared: number, take: OnPrefixEnd): void {
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

  #add(open: OpenPrefix, ...numbers: Parameters<RecordSet["add"]>): void {
    open.records ??= this.#newSet();
    open.records.add(...numbers);
  }

  /** Adds the records of a longer prefix that has ended. @returns whether there were others. */
  #join(open: OpenPrefix, inner: RecordSet): boolean {
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
