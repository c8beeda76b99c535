/** What is wrong with a contract file, each said in one line with its place. */
import { findNear } from "../../print/near.js";
import { shorten, toJson, visible } from "../../print/text.js";

/** More would tell no more; a file of a stranger may have a million. */
const MOST_MISTAKES = 100;
const LONGEST_VALUE = 60;

/** A place in a contract file, where something may be wrong. */
export class Place {
  /** @param mistakes the lines of all places in the file. @param names that lead there. */
  constructor(
    private readonly mistakes: Set<string>,
    readonly names: readonly PropertyKey[] = [],
  ) {}

  at(...names: readonly PropertyKey[]): Place {
    return new Place(this.mistakes, [...this.names, ...names]);
  }

  /** Says what is wrong here: `must be a path, got 3`. */
  refuse(what: string): void {
    this.mistakes.add(`${this.pointer} ${what}${what.endsWith("?") ? "" : "."}`);
  }

  mustBe(allowed: string, value: unknown): void {
    this.refuse(`must be ${allowed}, got ${shown(value)}`);
  }

  /** A JSON pointer, safe to print. */
  get pointer(): string {
    const parts = this.names.map((part) => `/${String(part).replaceAll("~", "~0").replaceAll("/", "~1")}`);
    return parts.length === 0 ? "The file" : visible(shorten(parts.join(""), 300));
  }
}

/** The first mistakes, and how many there are more. */
export function listed(mistakes: ReadonlySet<string>): string[] {
  const all = [...mistakes];
  if (all.length <= MOST_MISTAKES) return all;
  return [...all.slice(0, MOST_MISTAKES), `${all.length - MOST_MISTAKES} more mistakes are not listed.`];
}

/** What a name that nothing has may mean: `did you mean code?`, or what there is. */
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
