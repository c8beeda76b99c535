/** The segment of a URL path that stands for a value of a view. */
import { hash } from "node:crypto";

/** A value by which records are divided. A part of a date is a text. */
export type ViewValue = string | number | boolean | null;

const PLAIN = /[A-Za-z0-9_-]/;
/** Names that Windows keeps for devices, with any ending. */
const DEVICE = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?=\.|$)/i;

/** Characters of the longest segment that is not cut, and what is left of a longer one. */
const LONGEST = 100;
const KEPT = 60;
const HASH_DIGITS = 16;

/** What every segment matches. */
export const SEGMENT = /^[A-Za-z0-9_~-][A-Za-z0-9._~-]{0,99}$/;

/**
 * The segment for a value: the value itself, with `~` and two hexadecimal digits for each byte that is special in URLs or file
 * names: `New~20York`. Different values have different segments. A long one is cut, and ends with digits of its SHA-256.
 */
export function segmentOf(value: ViewValue): string {
  if (value === null) return "~null";
  if (value === "") return "~empty";
  const text = String(value);
  const bytes = Buffer.from(text);
  const isDevice = DEVICE.test(text);
  const leading = /^\.*/.exec(text)?.[0].length ?? 0;
  const parts = [...bytes].map((byte, at) => {
    const character = String.fromCharCode(byte);
    const isInnerPoint = character === "." && at >= leading && at < bytes.length - 1;
    const isPlain = (PLAIN.test(character) || isInnerPoint) && !(isDevice && at === 0);
    return isPlain ? character : `~${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  });
  const whole = parts.join("");
  if (whole.length <= LONGEST) return whole;
  let kept = "";
  for (const part of parts) {
    if (kept.length + part.length > KEPT) break;
    kept += part;
  }
  return `${kept}~~${hash("sha256", bytes, "hex").slice(0, HASH_DIGITS)}`;
}
