/** Words mistakes of a contract file, with JSON pointers. */
import { findNear } from "../../print/near.js";
import { shorten, toJson, visible } from "../../print/text.js";

/** Maximum number of mistakes listed: an untrusted file may have a million. */
const MOST_MISTAKES = 100;
const LONGEST_VALUE = 60;

/** Adds a mistake at a place below the value that a rule checks: `must be a path, got 3`. */
export type Refuse = (what: string, ...place: PropertyKey[]) => void;

/** Adds mistakes below a place. */
export function below(refuse: Refuse, ...above: PropertyKey[]): Refuse {
  return (what, ...place) => refuse(what, ...above, ...place);
}

/** The line of a mistake. */
export function lineOf(what: string, place: readonly PropertyKey[]): string {
  return `${pointer(place)} ${what}${what.endsWith("?") ? "" : "."}`;
}

/** The JSON pointer of a place, safe to print. */
export function pointer(place: readonly PropertyKey[]): string {
  const parts = place.map((part) => `/${String(part).replaceAll("~", "~0").replaceAll("/", "~1")}`);
  return parts.length === 0 ? "The file" : visible(shorten(parts.join(""), 300));
}

export function mustBe(allowed: string, value: unknown): string {
  return `must be ${allowed}, got ${display(value)}`;
}

/** Lists the first mistakes, each once, and the number of further ones. */
export function firstMistakes(mistakes: readonly string[]): string[] {
  const all = [...new Set(mistakes)];
  if (all.length <= MOST_MISTAKES) return all;
  return [...all.slice(0, MOST_MISTAKES), `${all.length - MOST_MISTAKES} more mistakes are not listed.`];
}

/** Suggests the nearest known name, `did you mean code?`, or lists the known ones. */
export function suggestion(name: string, known: readonly string[]): string {
  const near = findNear(name, known);
  if (near !== undefined) return `did you mean ${visible(near)}?`;
  const few = known.slice(0, 20).map((one) => visible(shorten(one, LONGEST_VALUE)));
  return `there ${known.length === 1 ? "is" : "are"} ${few.join(", ") || "none"}${known.length > 20 ? " and others" : ""}`;
}

/** A value in a message: JSON, shortened and safe to print. */
export function display(value: unknown): string {
  if (value === undefined) return "nothing";
  return visible(shorten(toJson(value), LONGEST_VALUE));
}
