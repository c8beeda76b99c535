/** What is wrong with a contract file, each said in one line with its place. */
import { findNear } from "../../print/near.js";
import { shorten, toJson, visible } from "../../print/text.js";

export type Pointer = readonly PropertyKey[];

/** Says that something at a place is wrong: `must be a path, got 3`. */
export type Complain = (place: Pointer, what: string) => void;

/** More would tell no more; a file of a stranger may have a million. */
const MOST_MISTAKES = 100;
const LONGEST_VALUE = 60;

export function mistakeList() {
  const lines = new Set<string>();
  return {
    complain: ((place, what) =>
      void lines.add(`${pointer(place)} ${what}${what.endsWith("?") ? "" : "."}`)) satisfies Complain,
    lines(): string[] {
      const all = [...lines];
      if (all.length <= MOST_MISTAKES) return all;
      return [...all.slice(0, MOST_MISTAKES), `${all.length - MOST_MISTAKES} more mistakes are not listed.`];
    },
  };
}

export function mustBe(allowed: string, value: unknown): string {
  return `must be ${allowed}, got ${shown(value)}`;
}

/** For a name that nothing has: the nearest one, or all where there are few. */
export function mustName(what: string, name: string, known: readonly string[]): string {
  return `must be ${what}, got ${shown(name)}; ${meant(name, known)}`;
}

/** `did you mean code?`, or what there is. */
export function meant(name: string, known: readonly string[]): string {
  const near = findNear(name, known);
  if (near !== undefined) return `did you mean ${visible(near)}?`;
  const few = known.slice(0, 20).map((one) => visible(shorten(one, LONGEST_VALUE)));
  return `there ${known.length === 1 ? "is" : "are"} ${few.join(", ") || "none"}${known.length > 20 ? " and others" : ""}`;
}

export function shown(value: unknown): string {
  if (value === undefined) return "nothing";
  return visible(shorten(toJson(value), LONGEST_VALUE));
}

/** A JSON pointer, safe to print. */
export function pointer(place: Pointer): string {
  const parts = place.map((part) => `/${String(part).replaceAll("~", "~0").replaceAll("/", "~1")}`);
  return parts.length === 0 ? "The file" : visible(shorten(parts.join(""), 300));
}
