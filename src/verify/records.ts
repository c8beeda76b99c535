/** Checks the users of one page: whether each is valid and canonical. */
import { isUtf8 } from "node:buffer";
import stringify from "fast-json-stable-stringify";
import type { Span } from "../contract/envelope.js";
import { parseJson } from "../contract/json.js";
import type { RecordPattern } from "../contract/record-text.js";
import { userSchema } from "../contract/user.js";
import { countCounterWarnings, countWarnings, type WarningCounts } from "../contract/warnings.js";
import { shorten, showValue } from "../print/text.js";
import type { Finding } from "./verdict.js";

/** What order and uniqueness depend on. */
export interface OrderKey {
  id: string;
  joined: string;
}

type Flaw = Pick<Finding, "check" | "id" | "found" | "expected">;

export interface Records {
  /** One for each user; undefined for a user without a usable id and time. */
  keys: (OrderKey | undefined)[];
  flaws: Flaw[];
}

/**
 * Checks users by the text of their records, and counts the warnings of the valid ones. Most pages match the pattern as a
 * whole; the users of others are parsed and checked by the schema one by one.
 */
export function checkRecords(
  body: Buffer,
  records: readonly Span[],
  pattern: RecordPattern,
  warnings: WarningCounts,
): Records {
  const [begin = 0] = records[0] ?? [];
  const [, end = 0] = records.at(-1) ?? [];
  // One byte a character: only ASCII is looked for.
  const text = body.toString("latin1", begin, end);
  if (pattern.takes(text, records.length) && isUtf8(body)) {
    return { keys: records.map(([from]) => readPlain(text, from - begin, warnings)), flaws: [] };
  }
  const flaws: Flaw[] = [];
  const keys = records.map(([from, to]) => checkText(body.subarray(from, to), warnings, flaws));
  return { keys, flaws };
}

/** Checks users that were parsed, since their page has another form: whether their text is canonical is not checked. */
export function checkValues(users: readonly unknown[], warnings: WarningCounts): Records {
  const flaws: Flaw[] = [];
  return { keys: users.map((user) => checkValue(user, warnings, flaws).key), flaws };
}

const JOINED = '"date_joined":"';
const ID = '"id":"';
const COUNTERS =
  /"mining_events":(\d+),"next_mining_at":"[^"]*","pending_events":(\d+),"tokens":(\d+),"withdrawn_events":(\d+)/y;

/** Finds the rest in a record that the pattern takes. No text can contain a key, since its quotes are escaped. */
function readPlain(text: string, begin: number, warnings: WarningCounts): OrderKey {
  const joinedAt = text.indexOf(JOINED, begin) + JOINED.length;
  const idAt = text.indexOf(ID, joinedAt) + ID.length;
  COUNTERS.lastIndex = text.indexOf('"mining_events":', idAt);
  const [mining_events = 0, pending_events = 0, tokens = 0, withdrawn_events = 0] =
    COUNTERS.exec(text)?.slice(1).map(Number) ?? [];
  countCounterWarnings({ off_chain: { mining_events, pending_events, tokens, withdrawn_events } }, warnings);
  return { joined: text.slice(joinedAt, joinedAt + 27), id: text.slice(idAt, idAt + 36) };
}

function checkText(bytes: Buffer, warnings: WarningCounts, flaws: Flaw[]): OrderKey | undefined {
  const text = bytes.toString("utf8");
  const read = isUtf8(bytes) ? parseJson(text) : { why: "is not UTF-8" };
  if ("why" in read) {
    const found = `${showValue(text)}, which ${read.why}`;
    flaws.push({ check: "users", found, expected: "one user as JSON in UTF-8" });
    return undefined;
  }
  const { key, isValid } = checkValue(read.value, warnings, flaws);
  const canonical = isValid ? stringify(read.value) : text;
  if (canonical !== text) {
    const found = showFirstDifference(text, canonical);
    const expected = "keys sorted, no white space, each character in its shortest form";
    flaws.push({ check: "canonical", ...(key && { id: key.id }), found, expected });
  }
  return key;
}

function checkValue(value: unknown, warnings: WarningCounts, flaws: Flaw[]) {
  const { data, error } = userSchema.safeParse(value);
  const { id, date_joined: joined } = Object(value);
  const key = isShort(id) && isShort(joined) ? { id, joined } : undefined;
  const who = typeof id === "string" ? { id: shorten(id, LONGEST_KEY) } : {};
  for (const { path, message } of error?.issues ?? []) {
    const at = path.join(".");
    const shown = showValue(path.reduce<unknown>((inside, name) => Object(inside)[name], value));
    const found = at ? `${at} ${shown}` : shown;
    flaws.push({ check: "users", ...who, found, expected: shorten(message, LONGEST_MESSAGE) });
  }
  const half = data && findHalf(data, "");
  if (half !== undefined) {
    const found = `half a surrogate pair in ${shorten(half, LONGEST_KEY)}`;
    flaws.push({ check: "users", ...who, found, expected: "whole characters" });
  }
  if (data) countWarnings(data, warnings);
  return { key, isValid: data !== undefined };
}

/** Far longer than ids and times are. Longer ones are not kept, since keys stay in memory. */
const LONGEST_KEY = 60;
/** Messages of the schema can be long, because they repeat all unknown keys. */
const LONGEST_MESSAGE = 200;

function isShort(value: unknown): value is string {
  return typeof value === "string" && value.length <= LONGEST_KEY;
}

/** The path of the first text with half a surrogate pair, which JSON allows as an escape and Unicode does not. */
function findHalf(value: unknown, path: string): string | undefined {
  if (typeof value === "string") return /\p{Surrogate}/u.test(value) ? path : undefined;
  if (typeof value !== "object" || value === null) return undefined;
  for (const [name, item] of Object.entries(value)) {
    const found = findHalf(item, path ? `${path}.${name}` : name);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Some characters around where a text first differs from another. */
function showFirstDifference(text: string, other: string): string {
  let at = 0;
  while (text[at] === other[at]) at++;
  return showValue(text.slice(Math.max(0, at - 20), at + 20));
}
