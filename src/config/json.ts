/** JSON for people: where a text stops being JSON, which `JSON.parse` of Node 20 often does not say. */

/** Line and column, both from 1, and what stands there. */
export interface JsonMistake {
  line: number;
  column: number;
  found: string;
}

/** Parses a text that people write: a byte order mark is allowed. The mistake is data, not an exception. */
export function parseJson(text: string): { value: unknown } | { mistake: JsonMistake } {
  const body = text.replace(/^\uFEFF/, "");
  try {
    return { value: JSON.parse(body) };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { mistake: describe(body, findMistake(body)) };
  }
}

function describe(text: string, offset: number): JsonMistake {
  const before = text.slice(0, offset).split("\n");
  const found = text.slice(offset).match(/^(?:[\w$]+|.)/su)?.[0] ?? "the end of the file";
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1, found };
}

const SPACE = /[ \t\n\r]*/y;
const STRING = /"(?:[^"\\\p{Cc}]|[\x7f-\x9f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/uy;
const SCALAR = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.$])/y;
const OPEN = /[{[]/y;

/** The offset of the first character that no JSON text could have there. */
function findMistake(text: string): number {
  let at = 0;
  const take = (token: RegExp) => {
    token.lastIndex = at;
    const match = token.exec(text);
    if (match) at += match[0].length;
    return match?.[0];
  };
  const space = () => take(SPACE);
  /** True when a whole value was read; `at` stands behind it, or at the mistake. */
  const value = (): boolean => {
    space();
    const open = take(OPEN);
    if (open === undefined) return take(STRING) !== undefined || take(SCALAR) !== undefined;
    const [close, item] = open === "{" ? [/\}/y, member] : [/\]/y, value];
    space();
    if (take(close) !== undefined) return true;
    do {
      if (!item()) return false;
      space();
    } while (take(/,/y) !== undefined);
    return take(close) !== undefined;
  };
  const member = (): boolean => {
    space();
    if (take(STRING) === undefined) return false;
    space();
    return take(/:/y) !== undefined && value();
  };
  if (value()) space();
  return at;
}
