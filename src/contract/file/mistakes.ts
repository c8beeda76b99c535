/** Collects mistakes of a contract file, one line each, with JSON pointers. */
import { findNear } from "../../print/near.js";
import { shorten, toJson, visible } from "../../print/text.js";

/** Maximum number of mistakes listed: an untrusted file may have a million. */
const MOST_MISTAKES = 100;
const LONGEST_VALUE = 60;

/** A place in a contract file, to which mistakes can be added. */
export class Place {
  /** @param mistakes the lines of the whole file, shared by all places. @param names the path from the top. */
  constructor(
    private readonly mistakes: Set<string>,
    readonly names: readonly PropertyKey[] = [],
  ) {}

  at(...names: readonly PropertyKey[]): Place {
    return new Place(this.mistakes, [...this.names, ...names]);
  }

  /** Adds a mistake: `must be a path, got 3`. */
  refuse(what: string): void {
    this.mistakes.add(`${this.pointer} ${what}${what.endsWith("?") ? "" : "."}`);
  }

  mustBe(allowed: string, value: unknown): void {
    this.refuse(`must be ${allowed}, got ${display(value)}`);
  }

  /** The JSON pointer of this place, safe to print. */
  get pointer(): string {
    const parts = this.names.map((part) => `/${String(part).replaceAll("~", "~0").replaceAll("/", "~1")}`);
    return parts.length === 0 ? "The file" : visible(shorten(parts.join(""), 300));
  }
}

/** Lists the first mistakes, and the number of further ones. */
export function firstMistakes(mistakes: ReadonlySet<string>): string[] {
  const all = [...mistakes];
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
