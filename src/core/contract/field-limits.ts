/** Field paths, patterns of field paths, and limits on how many records may change. */
import { type UserError, usageError } from "../errors.js";
import { suggest } from "../print/near.js";
import type { Contract } from "./contract.js";

type Fields = Pick<Contract, "fields">;

/** Lists the paths of all fields, in published order: `code`, ..., `position.latitude`. */
export function fieldPaths({ fields }: Fields): string[] {
  return fields.map(({ path }) => path);
}

/** Lists the field paths that a pattern matches: the path itself and all below it. `*` matches any one part. */
export function matchingPaths({ fields }: Fields, pattern: string): string[] {
  const parts = pattern.split(".");
  const matches = (names: readonly string[]) =>
    parts.length <= names.length && parts.every((part, at) => part === "*" || part === names[at]);
  return fields.filter(({ names }) => matches(names)).map(({ path }) => path);
}

/** Whether a text has the form of a field pattern. Does not check that it matches a field. */
export function isFieldPattern(text: string): boolean {
  return text.split(".").every((part) => part !== "");
}

/** Requires each pattern to match a field of one of the contracts. @param what the option's name. @throws UserError (usage) */
export function requireFields(what: string, patterns: readonly string[], ...contracts: readonly Fields[]): void {
  for (const pattern of patterns) {
    const isKnown = contracts.some((contract) => matchingPaths(contract, pattern).length > 0);
    if (!isKnown) throw unknownField(what, pattern, contracts.flatMap(fieldPaths));
  }
}

/** The error for a field that no contract has. @param what the option's name. @param known the fields that there are */
export function unknownField(what: string, name: string, known: readonly string[]): UserError {
  return usageError(
    `${what} names ${JSON.stringify(name)}, which is not a field; ${suggest(name, [...new Set(known)])}`,
  );
}

/** Whether a text is a number of records or a percentage of them: `10`, `2%`, `0.5%`. */
export function isLimit(text: string): boolean {
  return /^(?:\d{1,15}|\d{1,9}(?:\.\d{1,9})?%)$/.test(text);
}

/** Whether a text is a limit on a part of all records: a number, or at most 100%. */
export function isShare(text: string): boolean {
  return isLimit(text) && !(text.endsWith("%") && Number(text.slice(0, -1)) > 100);
}

/** Whether a number of records exceeds a limit. If `all` is 0, every number above 0 exceeds a percentage. */
export function isOver(limit: string, records: number, all: number): boolean {
  if (!limit.endsWith("%")) return records > Number(limit);
  // Multiplied, not divided, so that 3 of 100 are exactly 3 %.
  return records * 100 > Number(limit.slice(0, -1)) * all;
}

/** A limit on the records of one listing, or of all. */
export interface ListingLimit {
  listing?: string;
  limit: string;
}

/** Splits `orders=5%` into listing and limit; `5%` is for all listings. */
export function splitListingLimit(text: string): ListingLimit {
  const [, listing, limit = ""] = /^(?:(.+)=)?([^=]*)$/s.exec(text) ?? [];
  return listing === undefined ? { limit } : { listing, limit };
}

/** A limit on the records in which one field may change. */
export interface FieldLimit {
  path: string;
  limit: string;
}

/** Splits `position.latitude=5%` into path and limit; undefined if the text has another form. */
export function splitFieldLimit(text: string): FieldLimit | undefined {
  const [, path = "", limit = ""] = /^(.+)=([^=]+)$/s.exec(text) ?? [];
  return isFieldPattern(path) && isShare(limit) ? { path, limit } : undefined;
}
