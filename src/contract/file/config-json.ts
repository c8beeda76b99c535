/** Parses JSON that people write, and finds where it stops being JSON, and which keys it repeats, as `JSON.parse` does not. */
import { visit } from "jsonc-parser";
import { isTooDeep } from "../json.js";

/** A key that its object already has, as it is written, with quotes. */
type RepeatedKey = ReturnType<typeof positionOf> & { key: string };

/** Parses a text, which may begin with a byte order mark. @returns the value, or where and why it stops being JSON. */
export function parseConfig(text: string) {
  const body = text.replace(/^\uFEFF/, "");
  try {
    return { value: JSON.parse(body), repeated: scan(body).repeated };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    if (body.trim() === "") return { mistake: "the file is empty" };
    const { end, expected } = scan(body);
    const found = body.slice(end).match(/^(?:[\w$]+|.)/su)?.[0] ?? "the end of the file";
    const { line, column } = positionOf(body, end);
    return { mistake: `line ${line}, column ${column}: expected ${expected}, found ${found}` };
  }
}

function scan(text: string): { end: number; expected: string; repeated: RepeatedKey[] } {
  const repeated: RepeatedKey[] = [];
  let end = text.length;
  let expected = ANYTHING;
  // No setting is nested so deep that `visit` would run out of stack.
  if (isTooDeep(text)) return { end, expected, repeated };
  const open: Set<string>[] = [];
  const visitor = {
    onObjectBegin: () => void open.push(new Set()),
    onObjectEnd: () => void open.pop(),
    onObjectProperty(name: string, offset: number, length: number) {
      const keys = open.at(-1);
      if (keys?.has(name)) repeated.push({ key: text.slice(offset, offset + length), ...positionOf(text, offset) });
      keys?.add(name);
    },
    onError: (code: number, offset: number) => {
      const at = startOfWord(text, offset);
      if (at > end || (at === end && expected !== ANYTHING)) return;
      end = at;
      expected = EXPECTED[code] ?? ANYTHING;
    },
  };
  visit(text, visitor, { disallowComments: true, allowTrailingComma: false });
  return { end, expected, repeated };
}

const ANYTHING = "valid JSON";
/** By jsonc-parser's ParseErrorCode. */
const EXPECTED: Readonly<Partial<Record<number, string>>> = {
  3: "a key in double quotes",
  4: "a value",
  5: "a colon",
  6: "a comma",
  7: "a comma or }",
  8: "a comma or ]",
  9: "the end of the file",
  10: "JSON, which has no comments",
  12: "the closing quote of a text",
  15: "an escape that JSON knows",
};

/** In `01`, the mistake is found at the second digit. */
function startOfWord(text: string, offset: number): number {
  const before = /\w/.test(text.charAt(offset)) ? /\w*$/.exec(text.slice(0, offset)) : null;
  return before?.index ?? offset;
}

/** Line and column, both from 1. */
function positionOf(text: string, offset: number) {
  const before = text.slice(0, offset).split("\n");
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}
