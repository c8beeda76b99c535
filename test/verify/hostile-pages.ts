/** Pages that a malicious host may have made from good ones. */
import type { Random } from "../support/random.js";

const deep = (levels: number, open = "[", close = "]") => open.repeat(levels) + close.repeat(levels);
const list = (item: string, times: number) => `[${`${item},`.repeat(times - 1)}${item}]`;

/** JSON texts to replace any value; made on demand, since some are large. */
const VALUES: readonly (() => string)[] = [
  ...["null", "true", "0", "-1", "-0", "1.5", "1e400", "3e8", "300000000", "9007199254740991"].map(
    (text) => () => text,
  ),
  ...["9007199254740993", "1e308", '""', "[]", "{}", '"\\u0000\\uffff\\ud800"', '"\\u001b[2J\\u202e"'].map(
    (text) => () => text,
  ),
  ...['{"__proto__":{"x":1}}', '{"constructor":{"prototype":[]}}', "[[]]", "nul", '"'].map((text) => () => text),
  () => deep(33),
  () => deep(319),
  () => deep(50_000),
  () => deep(20_000, '{"a":', "}").replace("{}", "{0}"),
  () => `${'{"a":'.repeat(20_000)}0${"}".repeat(20_000)}`,
  () => list('""', 150_000),
  () => list("{}", 1_000_000),
  () => list('"xx"', 150_000),
  () => `{${Array.from({ length: 100_000 }, (_, at) => `"k${at}":0`).join(",")}}`,
  () => JSON.stringify("x".repeat(5_000_000)),
  () => JSON.stringify("\u{1f600}\u202e".repeat(1_000_000)),
  () => JSON.stringify(`https://example.com/${"y".repeat(1_000_000)}`),
];

/** Maximum characters of a repeated record in all. */
const MOST_REPEATED = 2 ** 26;

type Change = (text: string, random: Random) => string;

/** Any `"key":value` whose value is short, by a value of another kind. */
const replaceValue: Change = (text, random) => {
  const places = [...text.matchAll(/"(\w+)":("[^"\n]{0,200}"|[\d.]+|null|true|false|\[\])/g)];
  // Members of the envelope matter most.
  const place = random.of(random.chance(0.4) ? places.slice(0, 3) : places);
  if (!place) return text;
  const [all, key] = place;
  return `${text.slice(0, place.index)}"${key}":${random.of(VALUES)()}${text.slice(place.index + all.length)}`;
};

const CHANGES: readonly Change[] = [
  replaceValue,
  replaceValue,
  replaceValue,
  // Another key, before the first of a record or of the page.
  (text, random) =>
    text.replace(
      random.chance(0.5) ? /^\{/ : /\n\{/,
      (begin) => `${begin}"${random.of(KEYS)}":${random.of(VALUES)()},`,
    ),
  // Repeats the same record, one per line; a large one less often, to limit the text.
  (text, random) =>
    text.replace(/\n(\{.*?\}),?\n/, (_, record) => {
      const times = Math.min(random.of([1, 999, 20_000]), Math.ceil(MOST_REPEATED / record.length));
      return `\n${`${record},\n`.repeat(times)}${record}\n`;
    }),
  // Records of nothing.
  (text, random) => text.replace(/\[\n.*\n\]\}/s, () => `[\n${"{},\n".repeat(random.of([1, 1000, 2_000_000]))}{}\n]}`),
  // Not one record per line any more.
  (text) => text.replaceAll("\n", " "),
  (text) => `${text}${text}`,
  (text, random) => text.slice(0, random.below(text.length)),
  (text, random) => text.replace(/"count":\d+/, `"count":${random.of(COUNTS)}`),
  (text, random) => text.replace(/"next":null/, `"next":"http://x/api/users/?format=api&page=${random.below(9)}"`),
];

const KEYS = ["__proto__", "constructor", "toString", "id", "circles", "results", "", "\\u0000"];
const COUNTS = ["0", "1", "9", "11", "1000000", "300000000", "9007199254740991", "11.0", "1e1"];

/** The changed text of a page. */
export function mutate(text: string, random: Random): string {
  let changed = text;
  for (let left = 1 + random.below(3); left > 0; left--) changed = random.of(CHANGES)(changed, random);
  return changed;
}
