/** What a look-up is made by: the fields and words that records are found by, and how sorted files say where they are. */
import type { Contract, Field } from "./contract.js";
import { valueAt } from "./record/value.js";

/** lookup/index.json, or the part of explorer/summary.json about facets: what each of some sorted files begins with. */
export type Beginnings = readonly Beginning[];

/** A term; or, where a file begins within the list of a term, the term and the first record's number, from 0. */
export type Beginning = string | readonly [term: string, record: number];

/** lookup/index.json. File number N (from 1) is lookup/keys/N.txt or lookup/words/N.txt. */
export interface LookupIndex {
  /** The path of the key, and of each field whose words are looked up: its parts. */
  key: readonly string[];
  fields: readonly (readonly string[])[];
  keys: Beginnings;
  words: Beginnings;
  /** Of this form and of how words are cut. */
  version: 2;
}

/**
 * The digits of numbers in sorted files, which are those of base64url. Each stands for five bits, highest first; one of the
 * second half ends its number.
 */
export const LIST_DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/** Marks between a term and its list. The list is of all terms that begin so; of the only one; the same as one line before. */
export const MARKS = { all: "*", only: "~", same: "=" } as const;

/** Characters of a word by which it is looked up. What is found is compared with the whole word. */
const MOST_OF_WORD = 48;

const NAME_LIKE = /(?:name|title|label)$/i;

/** The fields by whose words people look for a record: the label, and texts that are called a name, a title or a label. */
export function nameFields({ fields, label, key }: Pick<Contract, "fields" | "label" | "key">): readonly Field[] {
  return fields.filter(({ path, names, schema }) => {
    if (path === key.path) return false;
    const isText = [schema.type].flat().includes("string") && schema.format === undefined && schema.enum === undefined;
    return path === label.path || (isText && NAME_LIKE.test(names.at(-1) ?? ""));
  });
}

const MARK = /\p{M}/gu;
/** Writing that puts no spaces between words, and pictures. */
const UNSPACED = "[\\p{sc=Han}\\p{sc=Hira}\\p{sc=Kana}\\p{sc=Thai}\\p{sc=Laoo}\\p{sc=Khmr}\\p{sc=Mymr}\\p{So}]";
// A pattern of one character needs no memory, however long a text is: V8 may keep each turn of one that repeats.
const BETWEEN_RUNS = new RegExp(`(?!${UNSPACED})[^\\p{L}\\p{N}]`, "u");
const ONE_UNSPACED = new RegExp(`(${UNSPACED})`, "u");
const NOT_PLAIN = /[^\0-\x7f]/;
const BETWEEN_PLAIN = /[^a-z0-9]/;

/** Characters of a word where writing puts no spaces between words. */
const MOST_UNSPACED = 3;

/**
 * The words of a text in their order, folded: compatible forms are one (NFKD), marks and case do not count. A word is a run of
 * letters and digits. In a run of writing that puts no spaces between words, and of pictures, each character begins one, with
 * the two behind it.
 */
export function foldedWords(text: string): string[] {
  if (!NOT_PLAIN.test(text))
    return text
      .toLowerCase()
      .split(BETWEEN_PLAIN)
      .filter((word) => word !== "");
  return fold(text).split(BETWEEN_RUNS).flatMap(wordsIn);
}

function wordsIn(run: string): string[] {
  // In turns: what stands between two characters that begin a word each, which may be nothing, and one of them.
  const parts = run.split(ONE_UNSPACED);
  return parts.flatMap((part, at) => {
    if (at % 2 === 0) return part === "" ? [] : [part];
    let end = at + 1;
    while (parts[end] === "" && end < at + 2 * MOST_UNSPACED - 1) end += 2;
    return [parts.slice(at, end).join("")];
  });
}

/** Whether a word, or a folded character, is of writing that puts no spaces between words, or a picture. */
export function isUnspaced(word: string): boolean {
  return ONE_UNSPACED.test(word);
}

/** What somebody looks for: a record has it if one of its words is this, or begins so. */
export interface WantedWord {
  word: string;
  isBeginning: boolean;
}

/**
 * What a text looks for. The last word may be a beginning, and so may each where writing puts no spaces between words: there, the
 * words that only repeat the end of the one before them are left out.
 */
export function wantedWords(text: string): WantedWord[] {
  const words = foldedWords(text);
  return words.flatMap((word, at) => {
    const isBeginning = isUnspaced(word);
    if (isBeginning && words[at - 1]?.endsWith(word)) return [];
    return { word, isBeginning: isBeginning || at === words.length - 1 };
  });
}

/** Whether one of the words is what is looked for. */
export function isAmong({ word, isBeginning }: WantedWord, words: readonly string[]): boolean {
  return words.some((one) => (isBeginning ? one.startsWith(word) : one === word));
}

/** Down, up and down again: a sharp s has two letters only in capitals, and a dotless i is an I there. Folding twice changes nothing. */
function fold(text: string): string {
  const bare = text.normalize("NFKD").replace(MARK, "");
  return bare.toLowerCase().toUpperCase().toLowerCase().normalize("NFKD").replace(MARK, "").replaceAll("ς", "σ");
}

/** What a word is looked up by: its first characters. */
export function termOf(word: string): string {
  return word.length <= MOST_OF_WORD ? word : Array.from(word).slice(0, MOST_OF_WORD).join("");
}

/** Sorts behind all that follows a beginning: the last character that there is. */
export const HIGHEST = "\u{10ffff}";

/** What a key is looked up by: all of it, unless it holds the character that stands for the end of a beginning. */
export function keyTerm(key: string | number): string {
  return String(key).split(HIGHEST, 1).join();
}

type Place = Pick<Field, "names">;

/**
 * The words that a record is found by, each once. A name that only repeats the key has none, since keys are looked up as such.
 * @param fields see `nameFields`.
 */
export function wordsOfRecord(key: Place, fields: readonly Place[], record: unknown): string[] {
  const own = valueAt(record, key);
  const words = new Set<string>();
  for (const field of fields) {
    const value = valueAt(record, field);
    if (typeof value === "string" && value !== own) for (const word of foldedWords(value)) words.add(word);
  }
  return [...words];
}

/** The fields by whose values people choose records: those that the contract marks, truth values, and those with a list of values. */
export function facetFields({ fields, key }: Pick<Contract, "fields" | "key">): readonly Field[] {
  return fields.filter(
    ({ path, schema }) =>
      path !== key.path && (schema["x-facet"] || schema.enum || [schema.type].flat().includes("boolean")),
  );
}

/** What a value of such a field is looked up by: `status="open"`. Of a list, each item is a value. */
export function facetTerm({ path }: Pick<Field, "path">, value: unknown): string {
  return `${path}=${JSON.stringify(value)}`;
}

/** The terms of a record, each once. */
export function facetTermsOf(fields: readonly Pick<Field, "path" | "names">[], record: unknown): string[] {
  const terms = fields.flatMap((field) => {
    return [valueAt(record, field)].flat().map((value) => facetTerm(field, value));
  });
  return [...new Set(terms)];
}
