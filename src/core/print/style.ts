/** Colours and aligned lines of summaries. */
import { styleText } from "node:util";
import { visible } from "./text.js";

/** An output stream: whether it is a terminal, and its columns. */
export type Output = NodeJS.WritableStream & { isTTY?: boolean; columns?: number };

export type Env = Readonly<Record<string, string | undefined>>;

export type Paint = (format: Parameters<typeof styleText>[0], text: string) => string;

/** Makes the function that colours text, if the stream is a terminal or FORCE_COLOR is set, and NO_COLOR is not. */
export function painter(stream: Output, env: Env): Paint {
  if (!wantsColor(stream, env)) return (_format, text) => text;
  return (format, text) => styleText(format, text, { validateStream: false });
}

/** One line of a summary: `write     10 pages, 1.3 MB    dist/releases/...` */
export interface Line {
  verb: string;
  value: string;
  detail?: string;
  /** Shown in bold yellow. */
  loud?: boolean;
}

/** Aligns the columns of lines: dim verb, bright value, plain detail. */
export function align(given: readonly Line[], paint: Paint): string {
  const lines = given.map(({ value, detail = "", ...line }) => {
    return { ...line, value: visible(value), detail: visible(detail) };
  });
  const width = Math.max(...lines.map(({ value, detail }) => (detail === "" ? 0 : value.length)));
  const shown = lines.map(({ verb, value, detail, loud = false }) => {
    const tail = detail === "" ? "" : " ".repeat(width - value.length + 4) + detail;
    const head = verb.padEnd(10);
    return (loud ? paint(["bold", "yellow"], head + value) : paint("dim", head) + paint("bold", value)) + tail;
  });
  return shown.join("\n");
}

/** NO_COLOR overrides FORCE_COLOR, and both override the kind of stream. */
function wantsColor(stream: Output, { FORCE_COLOR, NO_COLOR, TERM }: Env): boolean {
  if (NO_COLOR) return false;
  if (FORCE_COLOR !== undefined) return FORCE_COLOR !== "0" && FORCE_COLOR !== "false";
  return stream.isTTY === true && TERM !== "dumb";
}
