/** Checks options before the first request. */
import { usage } from "./errors.js";

/** What an option may be: in words, and as a pattern of its type and text. Most may be undefined, too. */
type Kind = readonly [allowed: string, pattern: RegExp, isRequired?: boolean];
type Kinds = Readonly<Record<string, Kind>>;

const YES_OR_NO: Kind = ["true or false", /^boolean/];
const CALLBACK: Kind = ["a function", /^function/];
const ABOVE_0: Kind = ["a number above 0", /^number (?!0$)[\dI]/];
export const TEXT: Kind = ["a text", /^string/, true];
export const KEY: Kind = ["a text or a number", /^(string|number)/, true];

const CALL: Kinds = { signal: ["an AbortSignal", /AbortSignal/] };
const WALK: Kinds = { ...CALL, after: ["a walk's position", /^object/], restart: YES_OR_NO, onRestart: CALLBACK };

/** The options of each function. */
export const OPTIONS = {
  openListing: {
    ...CALL,
    publicKey: ["one key or more", /^(string|object) ./, true],
    maxAgeMs: ABOVE_0,
    timeoutMs: ABOVE_0,
    memoryBytes: ABOVE_0,
    concurrency: ["a whole number from 1", /^number [1-9]\d*$/],
    pausesMs: ["a list of numbers", /^object [\d.,]*$/],
    fetch: CALLBACK,
    onUnproved: CALLBACK,
    requireSignature: YES_OR_NO,
    unproved: YES_OR_NO,
    path: ["a path such as /api/users/", /^string \//],
  },
  call: CALL,
  pages: WALK,
  records: { ...WALK, via: ["pages or bulk", /^string (pages|bulk)$/] },
  find: { ...WALK, by: ["names or key", /^string (names|key)$/], isWhole: YES_OR_NO, also: CALLBACK },
  sync: { ...CALL, onProgress: CALLBACK },
} satisfies Record<string, Kinds>;

/** Returns the options. One that is undefined counts as not given, unless it is required. @throws ListingError (usage) */
export function checked<O extends object>(url: string, given: O, kinds: Kinds): O {
  for (const [name, value] of Object.entries(given)) {
    const [allowed = `one of ${Object.keys(kinds).join(", ")}`, pattern, isRequired] = Object.hasOwn(kinds, name)
      ? (kinds[name] as Kind)
      : [];
    if (pattern?.test(`${typeof value} ${value}`) || (value === undefined && !isRequired)) continue;
    throw usage(url, `cannot be read with the option ${name}`, allowed, pattern ? `${value}` : name);
  }
  return given;
}
