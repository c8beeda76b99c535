/** Checks the records of one page: whether each is valid by its contract, and canonical. */
import { isUtf8 } from "node:buffer";
import stringify from "fast-json-stable-stringify";
import type { Contract } from "../contract/contract.js";
import type { Span } from "../contract/envelope.js";
import { parseJson } from "../contract/json.js";
import { fromBytes, type OrderKey, orderKeyOf } from "../contract/record/key.js";
import { recordFinder } from "../contract/record/locate.js";
import { recordCheck } from "../contract/record/schema.js";
import { recordPattern } from "../contract/record/text.js";
import { valueAt } from "../contract/record/value.js";
import { fieldObserver, type WarningCounts } from "../contract/record/warnings.js";
import { shorten, showValue } from "../print/text.js";
import { conditionCounter } from "./conditions.js";
import type { Finding } from "./verdict.js";

export interface Records {
  /** One for each record; undefined for a record without usable values for its order. */
  keys: (OrderKey | undefined)[];
  flaws: Pick<Finding, "check" | "id" | "found" | "expected">[];
}

export type RecordChecker = ReturnType<typeof recordChecker>;

/**
 * Makes what checks the records of a contract, and counts the warnings of the valid ones.
 * @param defaultAvatar an image URL that is known to be valid.
 */
export function recordChecker(contract: Contract, defaultAvatar: string) {
  const pattern = recordPattern(contract, defaultAvatar);
  const finder = recordFinder(contract);
  const conditions = conditionCounter(contract);
  const checkValue = valueChecker(contract, conditions.count);
  return {
    /** Most pages match the pattern as a whole; the records of others are parsed and checked by the schema one by one. */
    checkText(body: Buffer, records: readonly Span[], warnings: WarningCounts): Records {
      const [begin = 0] = records[0] ?? [];
      const [, end = 0] = records.at(-1) ?? [];
      // One byte a character: only ASCII is looked for.
      const text = body.toString("latin1", begin, end);
      if (pattern.takes(text, records.length) && isUtf8(body)) {
        const spans = records.map(([from, to]): Span => [from - begin, to - begin]);
        conditions.countTexts(text, spans, warnings);
        return { keys: spans.map(([from, to]) => finder.find(text, from, to)?.order), flaws: [] };
      }
      const flaws: Records["flaws"] = [];
      const keys = records.map(([from, to]) => checkBytes(body.subarray(from, to), checkValue, warnings, flaws));
      return { keys, flaws };
    },
    /** Checks records that were parsed, since their page has another form: whether their text is canonical is not checked. */
    checkValues(records: readonly unknown[], warnings: WarningCounts): Records {
      const flaws: Records["flaws"] = [];
      return { keys: records.map((record) => checkValue(record, warnings, flaws).key), flaws };
    },
  };
}

type ValueChecker = ReturnType<typeof valueChecker>;

function valueChecker(contract: Contract, countConditions: (record: unknown, counts: WarningCounts) => void) {
  const check = recordCheck(contract);
  const observe = fieldObserver(contract);
  return (record: unknown, warnings: WarningCounts, flaws: Records["flaws"]) => {
    const found = check(record);
    const who = idOf(valueAt(record, contract.key));
    for (const { path, message } of found) {
      const at = shorten(path.join("."), LONGEST_SHOWN);
      const shown = showValue(path.reduce<unknown>((inside, name) => Object(inside)[name], record));
      const expected = shorten(message, LONGEST_MESSAGE);
      flaws.push({ check: "records", ...who, found: at ? `${at} ${shown}` : shown, expected });
    }
    const isValid = found.length === 0;
    if (isValid) {
      observe(record, warnings);
      countConditions(record, warnings);
    }
    return { key: orderKeyOf(contract, record), isValid, who };
  };
}

function checkBytes(bytes: Buffer, checkValue: ValueChecker, warnings: WarningCounts, flaws: Records["flaws"]) {
  const text = bytes.toString("utf8");
  const read = isUtf8(bytes) ? parseJson(text) : { why: "is not UTF-8" };
  if ("why" in read) {
    const found = `${showValue(text)}, which ${read.why}`;
    flaws.push({ check: "records", found, expected: "one record as JSON in UTF-8" });
    return undefined;
  }
  const { key, isValid, who } = checkValue(read.value, warnings, flaws);
  const canonical = isValid ? stringify(read.value) : text;
  if (canonical !== text) {
    const found = showFirstDifference(text, canonical);
    const expected = "keys sorted, no white space, each character in its shortest form";
    flaws.push({ check: "canonical", ...who, found, expected });
  }
  return key;
}

/** Of a key or a path, in characters. */
const LONGEST_SHOWN = 60;
/** Messages of the schema can be long, because they repeat all unknown keys. */
const LONGEST_MESSAGE = 200;

/** A record's key for a finding, where it is one. */
function idOf(key: unknown): Pick<Finding, "id"> {
  return typeof key === "string" || typeof key === "number" ? { id: shorten(String(key), LONGEST_SHOWN) } : {};
}

/** A record's key for a finding, from what it is ordered by. */
export function idFrom(order: OrderKey): Pick<Finding, "id"> {
  const key = order.at(-1);
  return idOf(typeof key === "string" ? fromBytes(key) : key);
}

/** Some characters around where a text first differs from another. */
function showFirstDifference(text: string, other: string): string {
  let at = 0;
  while (text[at] === other[at]) at++;
  return showValue(text.slice(Math.max(0, at - 20), at + 20));
}
