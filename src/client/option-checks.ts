/** Checks options before the first request. */
import { usage } from "./errors.js";
import { isPlainObject } from "./utf8.js";

/** What an option may be, in words and as a test. */
interface Kind {
  allowed: string;
  fits(value: unknown): boolean;
}

const isText = (value: unknown) => typeof value === "string";
const isNumber = (value: unknown) => typeof value === "number";
const FUNCTION: Kind = { allowed: "function", fits: (value) => typeof value === "function" };
const BOOLEAN: Kind = { allowed: "boolean", fits: (value) => typeof value === "boolean" };
const TEXT: Kind = { allowed: "string", fits: isText };
const POSITIVE: Kind = { allowed: "number above 0", fits: (value) => isNumber(value) && Number(value) > 0 };

const KINDS: Readonly<Record<string, Kind>> = {
  // Not instanceof, which is false for a signal of another window or of a polyfill.
  signal: { allowed: "AbortSignal", fits: (value) => Object.prototype.toString.call(value) === "[object AbortSignal]" },
  after: { allowed: "object", fits: isPlainObject },
  restart: BOOLEAN,
  onRestart: FUNCTION,
  via: { allowed: '"pages" or "bulk"', fits: (value) => value === "pages" || value === "bulk" },
  by: { allowed: '"names" or "key"', fits: (value) => value === "names" || value === "key" },
  onProgress: FUNCTION,
  publicKey: { allowed: "string or list", fits: (value) => isText(value) || Array.isArray(value) },
  requireSignature: BOOLEAN,
  maxAgeMs: POSITIVE,
  fetch: FUNCTION,
  concurrency: { allowed: "integer above 0", fits: (value) => Number.isInteger(value) && Number(value) > 0 },
  memoryBytes: POSITIVE,
  timeoutMs: POSITIVE,
  pausesMs: {
    allowed: "list of numbers",
    fits: (value) => Array.isArray(value) && value.every((ms) => isNumber(ms) && ms >= 0),
  },
  unproved: BOOLEAN,
  path: TEXT,
  key: { allowed: "string or number", fits: (value) => isText(value) || isNumber(value) },
  text: TEXT,
  file: TEXT,
};

/** Options of every call, of walks, and of `openListing`. */
export const CALL = "signal";
export const WALK = `${CALL} after restart onRestart`;
export const OPEN =
  "publicKey requireSignature maxAgeMs fetch signal concurrency memoryBytes timeoutMs pausesMs unproved path";
/** Must not be undefined when given: with an undefined key, the listing would be read unverified. */
const REQUIRED = ["publicKey", "key", "text", "file"];

/** Checks options, also those of a prototype, and returns a copy. @param names all allowed ones. @throws ListingError (usage) */
export function checked<O extends object>(url: string, given: O, names: string): O {
  const found: Record<string, unknown> = {};
  const all = names.split(" ");
  for (const name in given) if (!all.includes(name)) throw usage(url, `has no option ${name}`, names, name);
  for (const name of all) {
    const value = Object(given)[name];
    if (value === undefined && !(name in Object(given) && REQUIRED.includes(name))) continue;
    const kind = KINDS[name];
    if (!kind?.fits(value)) throw usage(url, `cannot be read with this ${name}`, kind?.allowed, value);
    found[name] = value;
  }
  return found as O;
}
