/** What judges of answers look at: pages, errors and the headers that the contract names. */
import { CONTENT_TYPE } from "../contract/headers.js";
import { parseJson } from "../contract/json.js";
import { headerOf, type RemoteResponse } from "../remote/exchange.js";
import { contradictionOf, readAnswer } from "../remote/listing.js";
import type { ProbedSite } from "./probes/probe.js";

/** Whether an answer is page `page` of the listing, in plain JSON. */
export function isPage(answer: RemoteResponse, { first: { facts } }: ProbedSite, page: number): boolean {
  const read = readAnswer(answer, answer.body);
  return "envelope" in read && contradictionOf(facts, page, read.envelope) === undefined;
}

/** Whether a header stands in one line and has one of some values. */
export function hasHeader({ headers }: RemoteResponse, name: string, ...values: string[]): boolean {
  const lines = headers.filter(([key]) => key.toLowerCase() === name.toLowerCase());
  return lines.length === 1 && values.includes(lines[0]?.[1] ?? "");
}

/** The detail of an error's body, or undefined when it is none. */
export function detailOf({ body }: RemoteResponse): string | undefined {
  const read = parseJson(body.toString("utf8"));
  if ("why" in read) return undefined;
  const { detail, ...others } = Object(read.value);
  return typeof detail === "string" && Object.keys(others).length === 0 ? detail : undefined;
}

/** `Accept`, or with `Accept-Encoding` where pages are compressed: as on page 1, if that has one of the two. */
export function varyOf({ release, first }: ProbedSite): string[] {
  const both = ["Accept", "Accept, Accept-Encoding"];
  if (release) return [both[release.snapshot.encodings.length > 0 ? 1 : 0] ?? ""];
  const said = headerOf(first.answer, "Vary") ?? "";
  return both.includes(said) ? [said] : both;
}

export function isJson(answer: RemoteResponse): boolean {
  return hasHeader(answer, "Content-Type", CONTENT_TYPE);
}
