/** The syntax of HAProxy: words, arguments and formats, each with the escapes that its place needs. */
import type { ErrorStatus } from "../../contract/headers.js";
import { BODIES, type Headers } from "../rules/rules.js";

/** Replaces the HTML page that HAProxy has for a status. */
export function httpError(status: number, headers: Headers): string {
  return `http-error status ${status} ${jsonAnswer(BODIES[Math.min(status, 500) as ErrorStatus], headers)}`;
}

/** The rest of a rule that answers by itself, with a body. */
export function jsonAnswer(body: string, headers: Headers): string {
  const { "Content-Type": type = "", ...others } = headers;
  return `content-type ${type} string ${oneWord(body)}${headerFields(others)}`;
}

export function headerFields(headers: Headers): string {
  return Object.entries(headers)
    .map(([name, value]) => ` hdr ${name} ${formatted(value)}`)
    .join("");
}

/** A value in which a bare `%` would begin a variable. */
export function formatted(text: string): string {
  return oneWord(text.replaceAll("%", "%%"));
}

/** An argument of a function, which commas and parentheses would end. */
export function argument(text: string): string {
  return `"${text.replace(/["\\]/g, "\\$&")}"`;
}

/** A pattern of a condition, in which a word that begins with a dash would be a flag. */
export function flagless(word: string): string {
  return word.replace(/^(?='?-)/, "-- ");
}

/** One word of a line. */
export function oneWord(text: string): string {
  return text.includes("'") ? `"${text.replace(/["\\$]/g, "\\$&")}"` : `'${text}'`;
}
