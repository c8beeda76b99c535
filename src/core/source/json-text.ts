/** Reads JSON so that no value changes on the way: `JSON.parse` rounds numbers and drops all but the last of equal names. */
import { parseConfig } from "../contract/file/config-json.js";
import {
  CLOSE_LIST,
  CLOSE_OBJECT,
  COMMA,
  DEEPEST_JSON,
  endOfString,
  isObject,
  OPEN_LIST,
  OPEN_OBJECT,
  QUOTE,
} from "../contract/json.js";
import { shorten } from "../print/text.js";

/** Why JSON cannot be read without a change, in words that follow a colon: `nested deeper than 320 levels`. */
interface Refused {
  why: string;
}

/** Maximum number of characters of a text or a number that a reason shows. */
const MOST_SHOWN = 40;

/**
 * Reads a JSON text, and keeps every name and the decimal value of every number.
 * @returns the value; or why not: the text is not JSON (with line and column), it is nested too deep, an object at any depth has a
 *   name twice, or a number would be published as another one.
 */
export function readJson(text: string): { value: unknown } | Refused {
  const read = parse(text);
  if ("why" in read) return read;
  const { changed } = read.survey;
  if (changed === undefined) return { value: read.value };
  const becomes = JSON.stringify(Number(changed));
  return { why: `the number ${shorten(changed, MOST_SHOWN)} would become ${becomes}` };
}

/**
 * Splits a JSON object into its members. Numbers are not checked: their text is kept.
 * @returns the exact JSON text of each member's value, by name, in the order of the text; or why not: as `readJson`, or the text is
 *   not an object.
 */
export function readMembers(line: string): { members: ReadonlyMap<string, string> } | Refused {
  const read = parse(line);
  if ("why" in read) return read;
  if (!isObject(read.value)) return { why: `expected an object, found ${shorten(line.trim(), MOST_SHOWN)}` };
  const { bounds } = read.survey;
  const members = new Map<string, string>();
  // The bounds are the opening brace, then a colon and a comma for each member, and the closing brace for the last comma.
  for (let at = 0; at + 2 < bounds.length; at += 2) {
    const name: string = JSON.parse(line.slice((bounds[at] ?? 0) + 1, bounds[at + 1]));
    members.set(name, line.slice((bounds[at + 1] ?? 0) + 1, bounds[at + 2]).trim());
  }
  return { members };
}

/** Whether a number in JSON has the same decimal value after it was read into a double and written again. `-0` has not. */
export function isExactNumber(digits: string): boolean {
  // A double holds any 15 digits.
  if (digits.length <= 15 && !SPECIAL.test(digits)) return true;
  const value = Number(digits);
  return Number.isFinite(value) && !Object.is(value, -0) && decimal(digits) === decimal(String(value));
}

/** Matches a number with an exponent, or one that may be `-0`. */
const SPECIAL = /e|^-0/i;
const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i;

/** Writes a decimal value in one way, whatever its zeros and exponent: `12.50` and `125e-1` as `125e-1`. */
function decimal(number: string): string {
  const [, sign, whole = "", fraction = "", exponent = "0"] = NUMBER.exec(number) ?? [];
  const digits = whole + fraction;
  let first = 0;
  while (digits[first] === "0") first++;
  let end = digits.length;
  while (end > first && digits[end - 1] === "0") end--;
  if (first === end) return "0";
  return `${sign}${digits.slice(first, end)}e${Number(exponent) + whole.length - end}`;
}

function parse(text: string): { value: unknown; survey: Survey } | Refused {
  const survey = surveyOf(text);
  if (survey.isTooDeep) return { why: `nested deeper than ${DEEPEST_JSON} levels` };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { why: mistakeIn(text, error) };
  }
  if (survey.names === countNames(value)) return { value, survey };
  const scanned = parseConfig(text);
  const [twice] = "repeated" in scanned ? scanned.repeated : [];
  return { why: `an object has the name ${shorten(twice?.key ?? "", MOST_SHOWN)} twice` };
}

function mistakeIn(text: string, error: SyntaxError): string {
  if (text.trim() === "") return "expected a value, found nothing";
  const parsed = parseConfig(text);
  return "mistake" in parsed ? parsed.mistake : error.message;
}

interface Survey {
  isTooDeep: boolean;
  /** Number of names in all objects, each as often as it stands there. */
  names: number;
  /** The first number that is not exact. */
  changed: string | undefined;
  /** Offsets of the outermost brackets, and of the colons and commas directly between them. */
  bounds: number[];
}

const MINUS = 0x2d;
const ZERO = 0x30;
const NINE = 0x39;
const COLON = 0x3a;

/** Finds in one pass what parsing loses. The result is only meaningful for JSON. */
function surveyOf(text: string): Survey {
  const survey: Survey = { isTooDeep: false, names: 0, changed: undefined, bounds: [] };
  const { bounds } = survey;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === COLON) {
      survey.names++;
      if (depth === 1) bounds.push(at);
    } else if (code === COMMA) {
      if (depth === 1) bounds.push(at);
    } else if (code === OPEN_LIST || code === OPEN_OBJECT) {
      depth++;
      if (depth === 1) bounds.push(at);
      if (depth > DEEPEST_JSON) {
        survey.isTooDeep = true;
        return survey;
      }
    } else if (code === CLOSE_LIST || code === CLOSE_OBJECT) {
      if (depth === 1) bounds.push(at);
      depth--;
    } else if (code === MINUS || (code >= ZERO && code <= NINE)) {
      const end = endOfNumber(text, at);
      if (survey.changed === undefined) {
        const digits = text.slice(at, end);
        if (!isExactNumber(digits)) survey.changed = digits;
      }
      at = end - 1;
    }
  }
  return survey;
}

function endOfNumber(text: string, from: number): number {
  IN_NUMBER.lastIndex = from;
  return IN_NUMBER.test(text) ? IN_NUMBER.lastIndex : from + 1;
}

const IN_NUMBER = /[-+.\deE]+/y;

/** Number of names in all objects of a parsed value. */
function countNames(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  const items: unknown[] = Array.isArray(value) ? value : Object.values(value);
  let names = Array.isArray(value) ? 0 : items.length;
  for (const item of items) names += countNames(item);
  return names;
}
