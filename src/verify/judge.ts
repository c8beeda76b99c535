/** What judges of answers look at: pages, errors and the headers that the contract names. */
import { CONTENT_TYPE } from "../contract/headers.js";
import { parseJson } from "../contract/json.js";
import { type Answer, headerOf } from "../remote/exchange.js";
import { readPage, whyNotOf } from "../remote/listing.js";
import type { Site } from "./probe.js";

/** Whether an answer is page `page` of the listing, in plain JSON. */
export function isPage(answer: Answer, { first: { facts } }: Site, page: number): boolean {
  const read = readPage(answer, answer.body);
  return "envelope" in read && whyNotOf(facts, page, read.envelope) === undefined;
}

/** Whether a header stands in one line and has one of some values. */
export function hasHeader({ headers }: Answer, name: string, ...values: string[]): boolean {
  const lines = headers.filter(([key]) => key.toLowerCase() === name.toLowerCase());
  return lines.length === 1 && values.includes(lines[0]?.[1] ?? "");
}

/** The detail of an error's body, or undefined when it is none. */
export function detailOf({ body }: Answer): string | undefined {
  const read = parseJson(body.toString("utf8"));
  if ("why" in read) return undefined;
  const { detail, ...others } = Object(read.value);
  return typeof detail === "string" && Object.keys(others).length === 0 ? detail : undefined;
}

/** `Accept`, or with `Accept-Encoding` where pages are compressed: what the first page says, if it is one of both. */
export function varyOf({ release, first }: Site): string[] {
  const both = ["Accept", "Accept, Accept-Encoding"];
  if (release) return [both[release.snapshot.encodings.length > 0 ? 1 : 0] ?? ""];
  const said = headerOf(first.answer, "Vary") ?? "";
  return both.includes(said) ? [said] : both;
}

export function isJson(answer: Answer): boolean {
  return hasHeader(answer, "Content-Type", CONTENT_TYPE);
}
