/** Checks options before the first request. */
import { quoted, usage } from "./errors.js";

const POSITIVE = "number above 0";

/** What each option may be: types, and texts in quotes. */
const ALLOWED: Readonly<Record<string, string>> = {
  signal: "AbortSignal",
  after: "object",
  restart: "boolean",
  onRestart: "function",
  via: '"pages" or "bulk"',
  by: '"names" or "key"',
  onProgress: "function",
  publicKey: "string or list",
  requireSignature: "boolean",
  maxAgeMs: POSITIVE,
  fetch: "function",
  concurrency: "integer above 0",
  memoryBytes: POSITIVE,
  timeoutMs: POSITIVE,
  pausesMs: "list of numbers",
  unproved: "boolean",
  onUnproved: "function",
  path: "string",
  key: "string or number",
  text: "string",
  file: "string",
};

/** Options of every call, of walks, and of `openListing`. */
export const CALL = "signal";
export const WALK = `${CALL} after restart onRestart`;
export const OPEN =
  "publicKey requireSignature maxAgeMs fetch signal concurrency memoryBytes timeoutMs pausesMs unproved onUnproved path";
/** Must not be undefined when given: with an undefined key, the listing would be read unverified. */
const REQUIRED = ["publicKey", "key", "text", "file"];

/** Checks options, also those of a prototype, and returns a copy. @param names all allowed ones. @throws ListingError (usage) */
export function checked<O extends object>(url: string, given: O, names: string): O {
  const found: Record<string, unknown> = {};
  const all = names.split(" ");
  for (const name in given) if (!all.includes(name)) throw usage(url, `has no option ${name}`, names, name);
  for (const name of all) {
    const value = Object(given)[name];
    const isMissing = value === undefined && !(name in Object(given) && REQUIRED.includes(name));
    if (!isMissing && !isAllowed(value, `${ALLOWED[name]}`))
      throw usage(url, `cannot be read with this ${name}`, ALLOWED[name], value);
    if (!isMissing) found[name] = value;
  }
  return found as O;
}

function isAllowed(value: unknown, allowed: string): boolean {
  const kinds = [typeof value, Object.prototype.toString.call(value).slice("[object ".length, -1), quoted(value)];
  if (Array.isArray(value)) kinds.push("list");
  if (Number.isInteger(value)) kinds.push("integer");
  if (!allowed.split(/ (?:or|of|above) /).some((one) => kinds.includes(one))) return false;
  if (allowed.endsWith("numbers")) return (value as unknown[]).every((ms) => typeof ms === "number" && ms >= 0);
  return !allowed.endsWith("0") || Number(value) > 0;
}
