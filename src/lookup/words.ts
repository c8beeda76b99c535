/** Cuts UTF-8 text into the terms of its words, as `foldedWords` and `termOf` do, without making strings of it. */
import { fold, foldedWords, isUnspaced, MOST_UNSPACED, termOf } from "../contract/lookup.js";

/** A character that a text's character is folded to; undefined where it is of no word. */
type Folded = { bytes: Uint8Array; isUnspaced: boolean } | undefined;

/** Characters of a term. */
const MOST = Array.from(termOf("a".repeat(1000))).length;
const LAST_OF_ASCII = 0x7f;
/** Codes from here on are Han and rarer ones. */
const COMMON = 0x3000;

/** What each byte of ASCII is in a word; 0 for those that are in none. */
const PLAIN = Uint8Array.from({ length: LAST_OF_ASCII + 1 }, (_, code) => {
  const [word = ""] = foldedWords(String.fromCharCode(code));
  return word === "" ? 0 : word.charCodeAt(0);
});

/** Each character is folded once, and alone: what one becomes does not depend on those beside it. */
export class WordCutter {
  /** Those that most texts are made of, by their codes, and all others. */
  readonly #common = new Array<readonly Folded[] | undefined>(COMMON).fill(undefined);
  readonly #others = new Map<number, readonly Folded[]>();
  /** Of those that become one letter or digit of at most three bytes, these bytes, and above them how many; else 0. */
  readonly #letters = new Uint32Array(COMMON);
  /** The term of the word that goes on. */
  readonly #word = Buffer.alloc(4 * MOST);
  #length = 0;
  #characters = 0;
  /** Whether it is of writing without spaces. Then each of its characters has so many bytes. */
  #isUnspaced = false;
  readonly #sizes: number[] = [];

  /** @param take is told of each word's term, which stands at the beginning of `bytes` for a moment. */
  constructor(private readonly take: (bytes: Buffer, length: number, number: number) => void) {}

  /** Cuts the text that stands from `begin` to `end`. @param number of the record, which `take` is told. */
  cut(bytes: Uint8Array, begin: number, end: number, number: number): void {
    for (let at = begin; at < end; ) {
      const first = bytes[at++] ?? 0;
      if (first <= LAST_OF_ASCII) {
        const folded = PLAIN[first] ?? 0;
        if (folded === 0 || this.#isUnspaced) this.#end(number);
        if (folded !== 0 && this.#characters++ < MOST) this.#word[this.#length++] = folded;
        continue;
      }
      const more = first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;
      let code = first & (0x3f >> more);
      for (const last = at + more; at < last; at++) code = (code << 6) | ((bytes[at] ?? 0) & 0x3f);
      const letter = code < COMMON && !this.#isUnspaced ? (this.#letters[code] ?? 0) : 0;
      if (letter === 0) for (const folded of this.#foldedOf(code)) this.#add(folded, number);
      else if (this.#characters++ < MOST) this.#length = writeLetter(this.#word, this.#length, letter);
    }
    this.#end(number);
  }

  #foldedOf(code: number): readonly Folded[] {
    const known = code < COMMON ? this.#common[code] : this.#others.get(code);
    if (known) return known;
    const folded = foldedCharacters(String.fromCodePoint(code));
    if (code < COMMON) {
      this.#common[code] = folded;
      this.#letters[code] = letterOf(folded);
    } else this.#others.set(code, folded);
    return folded;
  }

  #add(folded: Folded, number: number): void {
    if (folded?.isUnspaced !== this.#isUnspaced) this.#end(number);
    if (!folded) return;
    this.#isUnspaced = folded.isUnspaced;
    if (this.#characters++ >= MOST) return;
    this.#word.set(folded.bytes, this.#length);
    this.#length += folded.bytes.length;
    if (!folded.isUnspaced) return;
    this.#sizes.push(folded.bytes.length);
    if (this.#characters === MOST_UNSPACED) this.#takeFirst(number);
  }

  /** Where each character begins a word: that of the first one. */
  #takeFirst(number: number): void {
    this.take(this.#word, this.#length, number);
    const first = this.#sizes.shift() ?? 0;
    this.#word.copyWithin(0, first, this.#length);
    this.#length -= first;
    this.#characters--;
  }

  #end(number: number): void {
    if (this.#isUnspaced) while (this.#length > 0) this.#takeFirst(number);
    else if (this.#length > 0) this.take(this.#word, this.#length, number);
    this.#length = 0;
    this.#characters = 0;
    this.#isUnspaced = false;
  }
}

/** The number of bytes stands above them. */
const BYTES_BITS = 24;

/** @returns where it ends. */
function writeLetter(word: Uint8Array, at: number, letter: number): number {
  let end = at;
  for (let shift = 8 * (letter >>> BYTES_BITS) - 8; shift >= 0; shift -= 8) word[end++] = letter >>> shift;
  return end;
}

function letterOf([folded, ...more]: readonly Folded[]): number {
  if (!folded || folded.isUnspaced || more.length > 0 || folded.bytes.length > 3) return 0;
  return folded.bytes.reduce((letter, byte) => (letter << 8) | byte, 0) | (folded.bytes.length << BYTES_BITS);
}

/** Nothing of a mark: what is before it goes on behind it. */
function foldedCharacters(character: string): Folded[] {
  return Array.from(fold(character), (one) =>
    foldedWords(one).length > 0 ? { bytes: Buffer.from(one), isUnspaced: isUnspaced(one) } : undefined,
  );
}
