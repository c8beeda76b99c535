/** Checks options before the first request. */
import { usage } from "./errors.js";

/** What an option may be: in words, and as a test. */
type Kind = readonly [allowed: string, fits: (value: unknown) => boolean];

const POSITIVE: Kind = ["number above 0", (value) => typeof value === "number" && value > 0];

/** The type of each option that is not of another kind. */
const TYPES: Readonly<Record<string, string>> = {
  after: "object",
  restart: "boolean",
  onRestart: "function",
  onProgress: "function",
  requireSignature: "boolean",
  fetch: "function",
  unproved: "boolean",
  path: "string",
  text: "string",
  file: "string",
  view: "string",
};

const KINDS: Readonly<Record<string, Kind>> = {
  // Not instanceof, which is false for a signal of another window or of a polyfill.
  signal: ["AbortSignal", (value) => Object.prototype.toString.call(value) === "[object AbortSignal]"],
  via: ['"pages" or "bulk"', (value) => value === "pages" || value === "bulk"],
  by: ['"names" or "key"', (value) => value === "names" || value === "key"],
  publicKey: ["one or more keys", areKeys],
  maxAgeMs: POSITIVE,
  concurrency: ["integer above 0", (value) => Number.isInteger(value) && Number(value) > 0],
  memoryBytes: POSITIVE,
  timeoutMs: POSITIVE,
  pausesMs: [
    "list of numbers",
    (value) => Array.isArray(value) && value.every((ms) => typeof ms === "number" && ms >= 0),
  ],
  key: ["string or number", (value) => typeof value === "string" || typeof value === "number"],
};

/** Options of every call, of walks, of `openSite`, and of `openListing`. */
export const CALL = "signal";
export const WALK = `${CALL} after restart onRestart`;
export const OPEN_SITE = "publicKey requireSignature maxAgeMs fetch signal concurrency memoryBytes timeoutMs pausesMs";
export const OPEN = `${OPEN_SITE} unproved path`;
/** Must not be undefined when given: with an undefined key, the listing would be read unverified. */
const REQUIRED = ["publicKey", "key", "text", "file", "view"];

function areKeys(value: unknown): boolean {
  const keys = [value].flat();
  return keys.length > 0 && keys.every((key) => key !== "" && typeof key === "string");
}

/** Checks options, also those of a prototype, and returns a copy. @param names all allowed ones. @throws ListingError (usage) */
export function checked<O extends object>(url: string, given: O, names: string): O {
  const found: Record<string, unknown> = {};
  const all = names.split(" ");
  for (const name in given) if (!all.includes(name)) throw usage(url, `has no option ${name}`, names, name);
  for (const name of all) {
    const value = Object(given)[name];
    if (value === undefined && !(name in Object(given) && REQUIRED.includes(name))) continue;
    const [allowed, fits] = KINDS[name] ?? [TYPES[name], (given: unknown) => typeof given === TYPES[name]];
    if (!fits(value)) throw usage(url, `cannot be read with this ${name}`, allowed, value);
    found[name] = value;
  }
  return found as O;
}
