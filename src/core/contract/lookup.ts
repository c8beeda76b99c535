/** Lookup terms: which fields and words records are found by, and how the sorted files list record numbers. */
import type { Contract, Field } from "./contract.js";
import { valueAt } from "./record/value.js";

/** The first term of each sorted file. In lookup/index.json, and for facets in explorer/summary.json. */
export type Beginnings = readonly Beginning[];

/** A term. If a file begins within the list of a term: the term and the first record number, from 0. */
export type Beginning = string | readonly [term: string, record: number];

/** lookup/index.json. File number N (from 1) is lookup/keys/N.txt or lookup/words/N.txt. */
export interface LookupIndex {
  /** Path parts of the key, and of each field whose words are indexed. */
  key: readonly string[];
  fields: readonly (readonly string[])[];
  keys: Beginnings;
  words: Beginnings;
  /** Version of this format and of how text is split into words. */
  version: 2;
}

/**
 * Digits of numbers in sorted files: the alphabet of base64url. Each digit holds five bits, highest first. A digit of the
 * second half is the last of its number.
 */
export const LIST_DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/**
 * Marks between a term and its list of records. `all`: records of every term with this prefix. `only`: the only term with this
 * prefix. `same`: the list of the line before.
 */
export const MARKS = { all: "*", only: "~", same: "=" } as const;

/** Maximum characters of a term. Readers compare what they find with the whole word. */
const MAX_TERM = 48;

const NAME_LIKE = /(?:name|title|label)$/i;

/** Fields whose words are indexed: the label, and strings whose field name ends in name, title or label. */
export function nameFields({ fields, label, key }: Pick<Contract, "fields" | "label" | "key">): readonly Field[] {
  return fields.filter(({ path, names, schema }) => {
    if (path === key.path) return false;
    const isText = [schema.type].flat().includes("string") && schema.format === undefined && schema.enum === undefined;
    return path === label.path || (isText && NAME_LIKE.test(names.at(-1) ?? ""));
  });
}

const MARK = /\p{M}/gu;
/** Scripts without spaces between words, and symbols such as emoji. */
const UNSPACED = "[\\p{sc=Han}\\p{sc=Hira}\\p{sc=Kana}\\p{sc=Thai}\\p{sc=Laoo}\\p{sc=Khmr}\\p{sc=Mymr}\\p{So}]";
// Single-character patterns: with a quantifier, V8 could need memory for each repetition in a long text.
const BETWEEN_RUNS = new RegExp(`(?!${UNSPACED})[^\\p{L}\\p{N}]`, "u");
const ONE_UNSPACED = new RegExp(`(${UNSPACED})`, "u");
const NOT_PLAIN = /[^\0-\x7f]/;
const BETWEEN_PLAIN = /[^a-z0-9]/;

/** Characters of a word in a script without spaces. */
const UNSPACED_LENGTH = 3;

/**
 * Splits a text into folded words, in order. Folding applies NFKD and removes marks and case. A word is a run of letters and
 * digits. In scripts without spaces, and in emoji, each character begins a word of up to three characters.
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
  // Alternating: the text between two unspaced characters, which may be empty, and one unspaced character.
  const parts = run.split(ONE_UNSPACED);
  return parts.flatMap((part, at) => {
    if (at % 2 === 0) return part === "" ? [] : [part];
    let end = at + 1;
    while (parts[end] === "" && end < at + 2 * UNSPACED_LENGTH - 1) end += 2;
    return [parts.slice(at, end).join("")];
  });
}

/** Whether a folded word is of a script without spaces, or has an emoji. */
function isUnspaced(word: string): boolean {
  return ONE_UNSPACED.test(word);
}

/** A word of a query. A record matches if one of its words equals it or, for a prefix, begins with it. */
export interface WantedWord {
  word: string;
  isPrefix: boolean;
}

/**
 * Splits a query into words. The last word is a prefix, and so is each word of a script without spaces. Of those, words that
 * only repeat the end of the word before are left out.
 */
export function wantedWords(text: string): WantedWord[] {
  const words = foldedWords(text);
  return words.flatMap((word, at) => {
    const isPrefix = isUnspaced(word);
    if (isPrefix && words[at - 1]?.endsWith(word)) return [];
    return { word, isPrefix: isPrefix || at === words.length - 1 };
  });
}

/** Whether one of a record's words matches a word of a query. */
export function matchesAny({ word, isPrefix }: WantedWord, words: readonly string[]): boolean {
  return words.some((one) => (isPrefix ? one.startsWith(word) : one === word));
}

/** Lower, upper and lower case again: sharp s becomes two letters, and dotless i an i, only in upper case. Idempotent. */
function fold(text: string): string {
  const bare = text.normalize("NFKD").replace(MARK, "");
  return bare.toLowerCase().toUpperCase().toLowerCase().normalize("NFKD").replace(MARK, "").replaceAll("ς", "σ");
}

/** The term of a word: its first characters. */
export function termOf(word: string): string {
  return word.length <= MAX_TERM ? word : Array.from(word).slice(0, MAX_TERM).join("");
}

/** The highest code point. After a prefix, it sorts behind every term with that prefix. */
export const HIGHEST = "\u{10ffff}";

/** The term of a key: the whole key, cut at `HIGHEST` if it contains that. */
export function keyTerm(key: string | number): string {
  return String(key).split(HIGHEST, 1).join();
}

type Place = Pick<Field, "names">;

/**
 * Lists the words that a record is found by, each once. A value equal to the key adds none, since keys have their own files.
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

/** Facets, the fields by whose values records can be filtered: those marked `x-facet`, enums and booleans. */
export function facetFields({ fields, key }: Pick<Contract, "fields" | "key">): readonly Field[] {
  return fields.filter(
    ({ path, schema }) =>
      path !== key.path && (schema["x-facet"] || schema.enum || [schema.type].flat().includes("boolean")),
  );
}

/** The term of a facet value: `status="open"`. Each item of a list is a value. */
export function facetTerm({ path }: Pick<Field, "path">, value: unknown): string {
  return `${path}=${JSON.stringify(value)}`;
}

/** Lists the facet terms of a record, each once. */
export function facetTermsOf(fields: readonly Pick<Field, "path" | "names">[], record: unknown): string[] {
  const terms = fields.flatMap((field) => {
    return [valueAt(record, field)].flat().map((value) => facetTerm(field, value));
  });
  return [...new Set(terms)];
}
