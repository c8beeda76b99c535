/** Views: the records of a listing by the values of a field, in another order, or both. */
import { UserError } from "../errors.js";
import { suggest } from "../print/near.js";
import { count, number } from "../print/numbers.js";
import { type Contract, type Field, fieldAt } from "./contract.js";
import type { ValueSchema } from "./file/form.js";
import { foldedWords } from "./lookup.js";
import { type Kind, kindOf } from "./record/kind.js";
import { segmentOf } from "./segment.js";

/** Parts of dates and times, with the number of characters that each has. */
export const VIEW_PARTS = { year: 4, month: 7 } as const;
export type ViewPart = keyof typeof VIEW_PARTS;

/** The values that a view may have at most, by default and if it says otherwise. */
export const MOST_VALUES = { default: 1000, max: 10_000 } as const;
export const MOST_VIEWS = 20;

/** A view as the config file has it. */
interface ViewForm {
  /** The path of the field by whose values records are divided. */
  by?: string | undefined;
  part?: ViewPart | undefined;
  /** Paths of fields, with `-` before descending ones. */
  order?: string[] | undefined;
  /** The most values that it may have. */
  most?: number | undefined;
}

/** Views by name: their folder in `views/`. */
export type ViewForms = Record<string, ViewForm>;

/** The setting: views by name, or a list of them in the short form. */
export type GivenViews = ViewForms | readonly string[];

interface ViewOrder {
  field: Field;
  isDescending: boolean;
}

/** A view of a contract's records. */
export interface View {
  name: string;
  by: Field | undefined;
  part: ViewPart | undefined;
  /** Empty for the published order, by which equal records are always sorted. */
  order: readonly ViewOrder[];
  most: number;
}

/** Compiles the views of a listing, sorted by name. @returns a sentence for each mistake instead, if there are any */
export function viewsOf(
  contract: Pick<Contract, "fields">,
  given: GivenViews,
): { views: View[] } | { mistakes: string[] } {
  const { forms, mistakes } = formsOf(given);
  const names = Object.keys(forms).sort();
  mistakes.push(...mistakesInNames(names));
  const views: View[] = [];
  for (const name of names) {
    const found = compile(contract, name, forms[name] ?? {});
    if ("mistake" in found) mistakes.push(`views.${name}: ${found.mistake}`);
    else views.push(found);
  }
  return mistakes.length > 0 ? { mistakes } : { views };
}

/** Names the views of a list in the short form. @returns views by name, and a sentence for each text that has no name of its own */
export function formsOf(given: GivenViews): { forms: ViewForms; mistakes: string[] } {
  if (!isList(given)) return { forms: given, mistakes: [] };
  const forms: ViewForms = {};
  const mistakes: string[] = [];
  for (const text of given) {
    const [name = "", form] = viewOfText(text) ?? [];
    const other = forms[name];
    if (!form) mistakes.push(`views: ${text} ${NO_NAME}`);
    else if (other && JSON.stringify(other) !== JSON.stringify(form))
      mistakes.push(`views: ${text} and another view would both be named ${name}; name them in the config file.`);
    else forms[name] = form;
  }
  return { forms, mistakes };
}

const NO_NAME = 'gives no name in ASCII; name it in the config file, such as "views": {"country": {"by": "country"}}.';

function isList(given: GivenViews): given is readonly string[] {
  return Array.isArray(given);
}

/** The view of the short form: `country`, `opened:year`, `-height` or `+height`. @returns undefined for a text that gives no name */
function viewOfText(text: string): [name: string, form: ViewForm] | undefined {
  const [, sign = "", path = "", part] = /^([-+]?)(.+?)(?::(year|month))?$/su.exec(text) ?? [];
  const ascii = NAME.test(path) ? path : foldedWords(path).filter(isAscii).join("-");
  if (ascii === "") return undefined;
  if (sign === "-") return [`-${ascii}`, { order: [`-${path}`] }];
  // S3 reads + in a path as a space.
  if (sign === "+") return [`${ascii}-up`, { order: [path] }];
  if (part === undefined) return [ascii, { by: path }];
  return [`${ascii}-${part}`, { by: path, part: part as ViewPart }];
}

const isAscii = (word: string) => /^[a-z0-9]+$/.test(word);

/** The form of a name. It must also be a segment that needs no escape. */
const NAME = /^[A-Za-z0-9_-][A-Za-z0-9._-]*$/;
/** Endings of the files beside the folders of views. */
const FILE = /\.(?:json|sha256)$/i;

/** Whether a text can be the name of a view. */
export function isViewName(name: string): boolean {
  return NAME.test(name) && !FILE.test(name) && segmentOf(name) === name;
}

function mistakesInNames(names: readonly string[]): string[] {
  const mistakes: string[] = [];
  if (names.length > MOST_VIEWS) mistakes.push(`views has ${names.length} views; at most ${MOST_VIEWS} are possible.`);
  const others = new Map<string, string>();
  for (const name of names) {
    const other = others.get(name.toLowerCase());
    if (!isViewName(name))
      mistakes.push(
        `views.${name}: use letters, digits and ._- for its name, with neither a point at an end nor .json or .sha256.`,
      );
    else if (other !== undefined) mistakes.push(`views: ${other} and ${name} differ only by case; rename one.`);
    others.set(name.toLowerCase(), name);
  }
  return mistakes;
}

function compile(
  { fields }: Pick<Contract, "fields">,
  name: string,
  { by: path, part, order: entries = [], most }: ViewForm,
): View | { mistake: string } {
  const unknown = [path ?? [], entries.map(pathOfEntry)].flat().find((wanted) => !hasField(fields, wanted));
  if (unknown !== undefined) {
    const [, timed = "", other] = /^(.+):(.+)$/su.exec(unknown) ?? [];
    if (other !== undefined && unknown === path && hasField(fields, timed))
      return {
        mistake: `${other} is not a part of dates and times; parts are ${Object.keys(VIEW_PARTS).join(" and ")}.`,
      };
    const known = fields.map((field) => field.path);
    return { mistake: `the contract has no field ${unknown}; ${suggest(unknown, known)}` };
  }
  const by = path === undefined ? undefined : fieldAt({ fields }, path);
  const order = entries.map((entry) => {
    return { field: fieldAt({ fields }, pathOfEntry(entry)), isDescending: entry.startsWith("-") };
  });
  if (!by && order.length === 0) return { mistake: "give it a field with by, an order, or both." };
  if (!by && part !== undefined) return { mistake: "part is of the field that by names, and there is no by." };
  if (!by && most !== undefined)
    return { mistake: "most is of the values of the field that by names, and there is no by." };
  const mistake = (by && (mistakeInBy(by) ?? mistakeInPart(by, part))) ?? mistakeInOrder(order);
  if (mistake !== undefined) return { mistake };
  return { name, by, part, order, most: most ?? MOST_VALUES.default };
}

function hasField(fields: readonly Field[], path: string): boolean {
  return fields.some((field) => field.path === path);
}

function pathOfEntry(entry: string): string {
  return entry.startsWith("-") ? entry.slice(1) : entry;
}

const BY_KINDS: readonly Kind[] = ["string", "integer", "boolean"];
const ORDER_KINDS: readonly Kind[] = [...BY_KINDS, "number"];

/** The schema of the values by which records are divided: of the items of a list. */
export function valueSchemaOf({ schema }: Pick<Field, "schema">): ValueSchema {
  return kindOf(schema) === "array" ? (schema.items ?? {}) : schema;
}

function mistakeInBy(field: Field): string | undefined {
  if (BY_KINDS.includes(kindOf(valueSchemaOf(field)))) return undefined;
  const { path, schema } = field;
  const advice = ORDER_KINDS.includes(kindOf(schema)) ? `; for an order, write "-${path}".` : ".";
  return `by needs a text, integer, boolean, date or time, or a list of them, and ${path} is ${wordsFor(schema)}${advice}`;
}

function mistakeInPart(field: Field, part: ViewPart | undefined): string | undefined {
  if (part === undefined || isTime(valueSchemaOf(field))) return undefined;
  return `part is for dates and times, and ${field.path} is ${wordsFor(field.schema)}.`;
}

function isTime({ format }: ValueSchema): boolean {
  return format === "date" || format === "date-time";
}

function mistakeInOrder(order: readonly ViewOrder[]): string | undefined {
  const wrong = order.find(({ field }) => !ORDER_KINDS.includes(kindOf(field.schema)));
  if (!wrong) return undefined;
  const { path, schema } = wrong.field;
  return `order needs texts, numbers, booleans, dates or times, and ${path} is ${wordsFor(schema)}.`;
}

const WORDS: Readonly<Record<Kind, string>> = {
  string: "a text",
  integer: "an integer",
  number: "a number",
  boolean: "a boolean",
  array: "a list",
  object: "an object",
  json: "any JSON",
  mixed: "of several kinds",
};

function wordsFor(schema: ValueSchema): string {
  const { format } = schema;
  if (isTime(schema)) return format === "date" ? "a date" : "a time";
  const kind = kindOf(schema);
  if (kind !== "array") return WORDS[kind];
  return `a list in which each item is ${WORDS[kindOf(schema.items ?? {})]}`;
}

/** How a sentence about the views of a listing begins, before `views`. @param listing its name in the site; empty for a plain release */
export function beforeViews(listing: string): string {
  return listing === "" ? "" : `listings.${listing}.`;
}

/** @throws UserError if a view of a listing has too many values */
export function requireFew(
  { name, by, part, most }: Pick<View, "name" | "by" | "part" | "most">,
  values: number,
  listing: string,
): void {
  if (values <= most) return;
  const form = JSON.stringify({ [name]: { by: by?.path, part, most: MOST_VALUES.max } });
  const raise = values <= MOST_VALUES.max ? `raise it in the config file, as in "views": ${form}, or ` : "";
  const atMost = raise === "" ? `, at most ${number(MOST_VALUES.max)}` : "";
  throw new UserError(
    `${beforeViews(listing)}views.${name} has ${count(values, "value")}, and most is ${number(most)}${atMost}; ${raise}use --lookup to find records by name.`,
  );
}

/** Share of the values allowed from which on a build says so. */
const NEARLY = 0.8;

/** A note on a view that will soon have too many values; undefined if it will not. */
export function noteOnValues({ name, most }: Pick<View, "name" | "most">, values: number): string | undefined {
  if (values < NEARLY * most) return undefined;
  return `views.${name} has ${count(values, "value")}; a build refuses more than ${number(most)}, its most`;
}

/** A note on a view by a part of times that may have several offsets; undefined for any other view. */
export function noteOnTimes({ name, by, part }: View): string | undefined {
  const { format, pattern = "" } = by ? valueSchemaOf(by) : {};
  if (!by || part === undefined || format !== "date-time" || /Z\$?$/.test(pattern)) return undefined;
  return `views.${name} has the ${part} of ${by.path} as each time is written, at its own offset; times that all end in Z have one`;
}
