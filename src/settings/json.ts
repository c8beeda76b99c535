/** JSON for people: where a text stops being JSON, and which keys it repeats; `JSON.parse` of Node 20 tells neither. */

/** Line and column, both from 1. */
interface Place {
  line: number;
  column: number;
}

/** Where a text stops being JSON, and what stands there. */
export interface JsonMistake extends Place {
  found: string;
}

/** A key that its object has already, as it is written: with quotes. */
export interface RepeatedKey extends Place {
  key: string;
}

/** Parses a text that people write: a byte order mark is allowed. The mistake is data, not an exception. */
export function parseJson(text: string): { value: unknown; repeated: RepeatedKey[] } | { mistake: JsonMistake } {
  const body = text.replace(/^\uFEFF/, "");
  try {
    const value: unknown = JSON.parse(body);
    const repeated = scan(body).repeated.map(({ key, offset }) => ({ key, ...placeOf(body, offset) }));
    return { value, repeated };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const { end } = scan(body);
    const found = body.slice(end).match(/^(?:[\w$]+|.)/su)?.[0] ?? "the end of the file";
    return { mistake: { ...placeOf(body, end), found } };
  }
}

function placeOf(text: string, offset: number): Place {
  const before = text.slice(0, offset).split("\n");
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

const SPACE = /[ \t\n\r]*/y;
const STRING = /"(?:[^"\\\p{Cc}]|[\x7f-\x9f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/uy;
const SCALAR = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.$])/y;
const OPEN = /[{[]/y;

/** Deeper than any setting, and far from where recursion ends. */
const MAX_DEPTH = 1000;

/** The offset of the first character that no JSON text could have there, and every repeated key before it. */
function scan(text: string): { end: number; repeated: { key: string; offset: number }[] } {
  const repeated: { key: string; offset: number }[] = [];
  let at = 0;
  const take = (token: RegExp) => {
    token.lastIndex = at;
    const match = token.exec(text);
    if (match) at += match[0].length;
    return match?.[0];
  };
  const space = () => take(SPACE);
  /** True when a whole value was read; `at` stands behind it, or at the mistake. */
  const value = (depth: number): boolean => {
    space();
    const open = depth <= MAX_DEPTH ? take(OPEN) : undefined;
    if (open === undefined) return take(STRING) !== undefined || take(SCALAR) !== undefined;
    const keys = new Set<string>();
    const [close, item] = open === "{" ? [/\}/y, () => member(depth, keys)] : [/\]/y, () => value(depth + 1)];
    space();
    if (take(close) !== undefined) return true;
    do {
      if (!item()) return false;
      space();
    } while (take(/,/y) !== undefined);
    return take(close) !== undefined;
  };
  const member = (depth: number, keys: Set<string>): boolean => {
    space();
    const offset = at;
    const key = take(STRING);
    if (key === undefined) return false;
    // Two spellings of one key, as with \u0064, are one key.
    const name = String(JSON.parse(key));
    if (keys.has(name)) repeated.push({ key, offset });
    keys.add(name);
    space();
    return take(/:/y) !== undefined && value(depth + 1);
  };
  if (value(1)) space();
  return { end: at, repeated };
}
