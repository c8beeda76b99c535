/** Checks options before the first request. */
import { usage } from "./errors.js";

const FLAG = "a boolean";
const CALLBACK = "a function";
const POSITIVE = "a number above 0";

/** What each option may be. The text contains its type. */
const ALLOWED: Readonly<Record<string, string>> = {
  signal: "an AbortSignal object",
  after: "an object",
  restart: FLAG,
  onRestart: CALLBACK,
  via: "the string pages or bulk",
  by: "the string names or key",
  isWhole: FLAG,
  also: CALLBACK,
  onProgress: CALLBACK,
  publicKey: "a string or a list with a key",
  requireSignature: FLAG,
  maxAgeMs: POSITIVE,
  fetch: CALLBACK,
  concurrency: "a whole number above 0",
  memoryBytes: POSITIVE,
  timeoutMs: POSITIVE,
  pausesMs: "a list of numbers",
  unproved: FLAG,
  onUnproved: CALLBACK,
  path: "a string such as /api/users/",
  key: "a string or a number",
  text: "a string",
};

/** Patterns of values as text, in addition to their types. */
const PATTERNS: Readonly<Record<string, RegExp>> = {
  signal: /AbortSignal/,
  via: /^(pages|bulk)$/,
  by: /^(names|key)$/,
  publicKey: /./,
  [POSITIVE]: /^(?!0$)[\dI]/,
  concurrency: /^[1-9]\d*$/,
  pausesMs: /^[\d.,]*$/,
  path: /^\//,
};

/** The options of calls and walks. */
export const CALL = "signal";
export const WALK = `${CALL} after restart onRestart`;
/** Options that must not be undefined when given: with an undefined key, the listing would be read unverified. */
const REQUIRED = "publicKey key text";

/** Checks and returns options. @param names all allowed options. @throws ListingError (usage) */
export function checked<O extends object>(url: string, given: O, names: string): O {
  for (const [name, value] of Object.entries(given)) {
    const allowed = ALLOWED[name] ?? "";
    const type = Array.isArray(value) ? "list" : typeof value;
    if (!names.split(" ").includes(name)) throw usage(url, `has no option ${name}`, names, value);
    if (value === undefined && !REQUIRED.includes(name)) continue;
    const pattern = PATTERNS[name] ?? PATTERNS[allowed];
    if (!allowed.includes(type) || pattern?.test(`${value}`) === false)
      throw usage(url, `cannot be read with this ${name}`, allowed, `${value}`);
  }
  return given;
}
