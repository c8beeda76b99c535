/** Refuses options that cannot be, before anything is asked for. */
import { ListingError } from "./errors.js";

/** What each option of a call may be: its name, type and text. One that is undefined is not given, but for a key. */
export const CALL = "signal .*AbortSi|(?!publicKey)\\S+ undefined";
export const WALK = `${CALL}|after object|restart boolean|onRestart f`;
export const LISTING = `${CALL}|publicKey (string|object) .|(maxAgeMs|timeoutMs|memoryBytes) number (?!0$)[\\dI]|(fetch|onUnproved) f|concurrency number [1-9]\\d*$|pausesMs object [\\d.,]*$|(requireSignature|unproved) boolean|path string /`;

/** What was given. @throws ListingError (usage) for an option that there is not, and for a value that it cannot have */
export function checked<O extends object>(url: string, given: O, allowed: string): O {
  const pattern = new RegExp(`^(${allowed})`);
  for (const [name, value] of Object.entries(given))
    if (!pattern.test(`${name} ${typeof value} ${value}`)) throw usage(url, `cannot be read with ${name}: ${value}`);
  return given;
}

export function usage(url: string, why: string): ListingError {
  return new ListingError("usage", url, why);
}
