/** Cuts UTF-8 text into the terms of its words, as `foldedWords` and `termOf` do, without making strings of it. */
import { foldedWords, termOf } from "../contract/lookup.js";

/** What a character adds to the word before it, then each word that begins in it. `字` alone is two ends with a word between. */
type Folded = readonly [before: Uint8Array, ...begun: readonly Uint8Array[]];

/** Characters of a term. */
const MOST = Array.from(termOf("a".repeat(1000))).length;
const LAST_OF_ASCII = 0x7f;
/** Codes from here on are Han and rarer ones. */
const COMMON = 0x3000;
const NOTHING = new Uint8Array();

/** What each byte of ASCII is in a word; 0 for those that are in none. */
const PLAIN = Uint8Array.from({ length: LAST_OF_ASCII + 1 }, (_, code) => {
  const [word = ""] = foldedWords(String.fromCharCode(code));
  return word === "" ? 0 : word.charCodeAt(0);
});

/** Each character is folded once, and alone: what one becomes does not depend on those beside it. */
export class WordCutter {
  /** Those that most texts are made of, by their codes, and all others. */
  readonly #common = new Array<Folded | undefined>(COMMON).fill(undefined);
  readonly #others = new Map<number, Folded>();
  /** Of those that stay within a word and become one character of at most three bytes, these bytes, and above them how many; else 0. */
  readonly #letters = new Uint32Array(COMMON);
  readonly #word = new Uint8Array(4 * MOST);
  #length = 0;
  #characters = 0;

  /** @param take is told of each word's term, which stands at the beginning of `bytes` for a moment. */
  constructor(private readonly take: (bytes: Uint8Array, length: number, number: number) => void) {}

  /** Cuts the text that stands from `begin` to `end`. @param number of the record, which `take` is told. */
  cut(bytes: Uint8Array, begin: number, end: number, number: number): void {
    for (let at = begin; at < end; ) {
      const first = bytes[at++] ?? 0;
      if (first <= LAST_OF_ASCII) {
        const folded = PLAIN[first] ?? 0;
        if (folded === 0) this.#end(number);
        else if (this.#characters++ < MOST) this.#word[this.#length++] = folded;
        continue;
      }
      const more = first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;
      let code = first & (0x3f >> more);
      for (const last = at + more; at < last; at++) code = (code << 6) | ((bytes[at] ?? 0) & 0x3f);
      const letter = code < COMMON ? (this.#letters[code] ?? 0) : 0;
      if (letter === 0) this.#add(code, number);
      else if (this.#characters++ < MOST) this.#length = writeLetter(this.#word, this.#length, letter);
    }
    this.#end(number);
  }

  #add(code: number, number: number): void {
    let folded = code < COMMON ? this.#common[code] : this.#others.get(code);
    if (!folded) {
      folded = fold(String.fromCodePoint(code));
      if (code < COMMON) {
        this.#common[code] = folded;
        this.#letters[code] = letterOf(folded);
      } else this.#others.set(code, folded);
    }
    for (let part = 0; part < folded.length; part++) {
      if (part > 0) this.#end(number);
      const bytes = folded[part] ?? NOTHING;
      for (let at = 0; at < bytes.length; at++) {
        const byte = bytes[at] ?? 0;
        if ((byte & 0xc0) !== 0x80) this.#characters++;
        if (this.#characters <= MOST) this.#word[this.#length++] = byte;
      }
    }
  }

  #end(number: number): void {
    if (this.#length > 0) this.take(this.#word, this.#length, number);
    this.#length = 0;
    this.#characters = 0;
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

function letterOf(folded: Folded): number {
  const [bytes] = folded;
  const characters = bytes.filter((byte) => (byte & 0xc0) !== 0x80).length;
  if (folded.length > 1 || characters !== 1 || bytes.length > 3) return 0;
  return bytes.reduce((letter, byte) => (letter << 8) | byte, 0) | (bytes.length << BYTES_BITS);
}

/** Found by what a character does between two letters. */
function fold(character: string): Folded {
  const words = foldedWords(`a${character}b`);
  const parts = words.map((word, at) =>
    Buffer.from(word.slice(at === 0 ? 1 : 0, at === words.length - 1 ? -1 : undefined)),
  );
  const [before = Buffer.alloc(0), ...begun] = parts;
  return [before, ...begun];
}
