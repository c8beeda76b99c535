/** Parses JSON that people write, and finds where it stops being JSON, and which keys it repeats, as `JSON.parse` does not. */
import { visit } from "jsonc-parser";
import { isTooDeep } from "../json.js";

/** A key that its object already has, as it is written, with quotes. */
type RepeatedKey = ReturnType<typeof positionOf> & { key: string };

/** Parses a text, which may begin with a byte order mark. @returns the value, or where it stops being JSON and at what. */
export function parseConfig(text: string) {
  const body = text.replace(/^\uFEFF/, "");
  try {
    return { value: JSON.parse(body), repeated: scan(body).repeated };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const { end } = scan(body);
    const found = body.slice(end).match(/^(?:[\w$]+|.)/su)?.[0] ?? "the end of the file";
    return { mistake: { ...positionOf(body, end), found } };
  }
}

function scan(text: string): { end: number; repeated: RepeatedKey[] } {
  const repeated: RepeatedKey[] = [];
  let end = text.length;
  // No setting is nested so deep that `visit` would run out of stack.
  if (isTooDeep(text)) return { end, repeated };
  const open: Set<string>[] = [];
  const visitor = {
    onObjectBegin: () => void open.push(new Set()),
    onObjectEnd: () => void open.pop(),
    onObjectProperty(name: string, offset: number, length: number) {
      const keys = open.at(-1);
      if (keys?.has(name)) repeated.push({ key: text.slice(offset, offset + length), ...positionOf(text, offset) });
      keys?.add(name);
    },
    onError: (_code: number, offset: number) => {
      end = Math.min(end, startOfWord(text, offset));
    },
  };
  visit(text, visitor, { disallowComments: true, allowTrailingComma: false });
  return { end, repeated };
}

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
