/** Parses hand-written JSON. Unlike `JSON.parse`, it gives the position of a mistake, and finds repeated keys. */
import { printParseErrorCode, visit } from "jsonc-parser";
import { shorten } from "../../print/text.js";
import { isTooDeep } from "../json.js";

/** Maximum number of characters of the text that a message shows. */
const MOST_SHOWN = 40;

/** Maximum number of repeated keys whose positions are found, each by a walk over the text. */
const MOST_REPEATED = 100;

/** A repeated key, in quotes as written, with its position. */
type RepeatedKey = ReturnType<typeof positionOf> & { key: string };

/** Parses a text, with or without a byte order mark. @returns the value and the first repeated keys, or where and why it is not JSON. */
export function parseConfig(text: string) {
  const body = text.replace(/^\uFEFF/, "");
  try {
    return { value: JSON.parse(body), repeated: scan(body).repeated };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    if (body.trim() === "") return { mistake: "the file is empty" };
    const { end, why } = scan(body);
    const found = body.slice(end).match(/^(?:[\w$]+|.)/su)?.[0] ?? "the end of the text";
    const { line, column } = positionOf(body, end);
    return { mistake: `line ${line}, column ${column}: ${why}, found ${shorten(found, MOST_SHOWN)}` };
  }
}

function scan(text: string): { end: number; why: string; repeated: RepeatedKey[] } {
  const repeated: RepeatedKey[] = [];
  let end = text.length;
  let why = "not JSON";
  // `visit` would overflow the stack.
  if (isTooDeep(text)) return { end, why, repeated };
  const open: Set<string>[] = [];
  const visitor = {
    onObjectBegin: () => void open.push(new Set()),
    onObjectEnd: () => void open.pop(),
    onObjectProperty(name: string, offset: number, length: number) {
      const keys = open.at(-1);
      const isListed = keys?.has(name) && repeated.length < MOST_REPEATED;
      if (isListed) repeated.push({ key: text.slice(offset, offset + length), ...positionOf(text, offset) });
      keys?.add(name);
    },
    onError: (code: number, offset: number) => {
      const at = startOfWord(text, offset);
      if (at >= end && why !== "not JSON") return;
      end = at;
      why = wordsOf(printParseErrorCode(code));
    },
  };
  visit(text, visitor, { disallowComments: true, allowTrailingComma: false });
  return { end, why, repeated };
}

/** Writes the name of an error as words: `PropertyNameExpected` as `property name expected`. */
function wordsOf(name: string): string {
  return name.replace(/[A-Z]/g, (letter, at) => (at === 0 ? "" : " ") + letter.toLowerCase());
}

/** The start of the word at an offset: jsonc-parser reports the mistake of `01` at the second digit. */
function startOfWord(text: string, offset: number): number {
  const before = /\w/.test(text.charAt(offset)) ? /\w*$/.exec(text.slice(0, offset)) : null;
  return before?.index ?? offset;
}

/** Line and column, both from 1. */
function positionOf(text: string, offset: number) {
  const before = text.slice(0, offset).split("\n");
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}
