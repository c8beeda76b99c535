/** Finds where values begin in canonical records, by the names of members in their text. */
import type { Contract, Field } from "../contract.js";
import type { FieldSchema, ValueSchema } from "../file/form.js";
import { toBytes } from "./key.js";

/** A member's name as it stands in canonical text, byte by byte: `"id":`. Inside a text, its first quote would be escaped. */
function memberText(name: string): string {
  return toBytes(`${JSON.stringify(name)}:`);
}

interface Member {
  path: string;
  /** The member's name as it stands in the text. */
  text: string;
  /** Whether its value may have members with any names. */
  isFree: boolean;
}

/** All members of a record, in the order of its text. */
function membersOf({ file }: Pick<Contract, "file">): Member[] {
  return [...membersBelow(file.properties, [])];
}

function* membersBelow(
  properties: { readonly [name: string]: FieldSchema },
  above: readonly string[],
): Generator<Member> {
  for (const name of Object.keys(properties).sort()) {
    const schema = properties[name] ?? {};
    const names = [...above, name];
    yield { path: names.join("."), text: memberText(name), isFree: !schema.properties && hasMembers(schema) };
    if (schema.properties) yield* membersBelow(schema.properties, names);
  }
}

/** Whether a value that a schema takes may be, or hold, an object. */
export function hasMembers(schema: ValueSchema): boolean {
  if (schema.anyOf) return schema.anyOf.some(hasMembers);
  if (schema.enum ?? schema.const) return [...(schema.enum ?? []), schema.const].some(isStructured);
  const isScalar = [schema.type].flat().every((type) => type !== undefined && type !== "array" && type !== "object");
  return !isScalar && (schema.items === undefined || hasMembers(schema.items));
}

function isStructured(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}

/**
 * Makes what finds where the values of some fields begin in a text with a character for each byte, in one walk along the
 * record at `at`. It returns false where names alone cannot tell, since a value before them has members of its own.
 */
export function placeFinder(contract: Pick<Contract, "file">, fields: readonly Pick<Field, "path">[]) {
  const steps = stepsTo(
    membersOf(contract),
    fields.map(({ path }) => path),
  );
  return (text: string, at: number, end: number, begins: number[]): boolean => {
    let from = at;
    for (let step = 0; step < steps.length; step++) {
      const { place, field } = steps[step] as Step;
      const found = text.indexOf(place.text, from);
      if (found < 0 || found >= end) return false;
      from = found + place.text.length;
      if (place.isFree && isFilled(text, from)) return false;
      if (field >= 0) begins[field] = from;
    }
    return true;
  };
}

interface Step {
  place: Member;
  /** Which of the fields it is; -1 for none. */
  field: number;
}

/** The members to go along: those that are wanted, and those with any names inside; all, where one could be taken for another. */
function stepsTo(members: readonly Member[], wanted: readonly string[]): Step[] {
  const all = members.map((place) => ({ place, field: wanted.indexOf(place.path) }));
  const last = all.findLastIndex(({ field }) => field >= 0);
  const before = all.slice(0, last + 1);
  const needed = before.filter(({ place, field }) => place.isFree || field >= 0);
  const isClear = before.every(({ place }, at) => {
    const next = needed.find((step) => before.indexOf(step) >= at);
    return next === undefined || next.place === place || !place.text.includes(next.place.text);
  });
  return isClear ? needed : before;
}

/** Whether a list or an object that begins here has something in it. */
function isFilled(text: string, begin: number): boolean {
  const open = text[begin];
  return (open === "[" && text[begin + 1] !== "]") || (open === "{" && text[begin + 1] !== "}");
}
