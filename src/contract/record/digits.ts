/** Patterns of the digits of integers in a range, as JSON writes them. */

/** Matches every integer from `least` to `most`, and nothing else; both have at most 15 digits. */
export function digitsBetween(least: number, most: number): string {
  if (least > most) return "[]";
  const options: string[] = [];
  // No other number begins with 0, so that nothing is tried twice.
  if (least <= 0 && most >= 0) options.push("0");
  if (most > 0) options.push(between(Math.max(1, least), most));
  if (least < 0) options.push(`-${between(Math.max(1, -most), -least)}`);
  return options.length === 1 ? (options[0] ?? "") : `(?:${options.join("|")})`;
}

/** Of positive integers: one option for each number of digits. */
function between(least: number, most: number): string {
  const options: string[] = [];
  for (let length = String(least).length; length <= String(most).length; length++) {
    const [from, to] = [Math.max(least, 10 ** (length - 1)), Math.min(most, 10 ** length - 1)];
    options.push(sameLength(String(from), String(to)));
  }
  return options.length === 1 ? (options[0] ?? "") : `(?:${merged(options).join("|")})`;
}

/** Numbers of every digit, of each length in a row, are one option: `[1-9]\d{2,14}`. */
function merged(options: readonly string[]): string[] {
  const whole = options.map((option) =>
    option === "[1-9]" ? 0 : Number(/^\[1-9\]\\d\{(\d+)\}$/.exec(option)?.[1] ?? -1),
  );
  const first = whole.findIndex((digits) => digits >= 0);
  const last = whole.findLastIndex((digits) => digits >= 0);
  if (first === last) return [...options];
  const range = `[1-9]\\d{${whole[first]},${whole[last]}}`;
  return [...options.slice(0, first), range, ...options.slice(last + 1)];
}

/** Numbers of one length: those that share the first digit of a bound are compared by the next one. */
function sameLength(from: string, to: string): string {
  const [low = "", high = ""] = [from[0], to[0]];
  const rest = from.length - 1;
  if (rest === 0) return digit(low, high);
  if (isAll(from.slice(1), "0") && isAll(to.slice(1), "9")) return `${digit(low, high)}${any(rest)}`;
  if (low === high) return `${low}${sameLength(from.slice(1), to.slice(1))}`;
  const options = [`${low}${sameLength(from.slice(1), "9".repeat(rest))}`];
  const [next, before] = [Number(low) + 1, Number(high) - 1];
  if (next <= before) options.push(`${digit(String(next), String(before))}${any(rest)}`);
  options.push(`${high}${sameLength("0".repeat(rest), to.slice(1))}`);
  return `(?:${options.join("|")})`;
}

function isAll(digits: string, digit: string): boolean {
  return digits === digit.repeat(digits.length);
}

function digit(low: string, high: string): string {
  if (low === high) return low;
  return low === "0" && high === "9" ? "\\d" : `[${low}-${high}]`;
}

function any(digits: number): string {
  return `\\d{${digits}}`;
}
