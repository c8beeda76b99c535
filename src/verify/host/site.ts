/** A host to verify: where its listing is, what it should serve, and how to read its responses. */
import { type PageBody, readBody } from "../../contract/envelope.js";
import { type ListingPlace, parsePageUrl } from "../../contract/links.js";
import type { Variant } from "../../release/layout.js";
import type { Release } from "../../release/open.js";
import type { Answer, Asker } from "./ask.js";

/** The codings in which pages and files are requested. */
export const CODINGS: readonly Variant[] = ["identity", "br", "gzip"];

/** What a host should serve: a release on disk, or what its own snapshot.json and SHA256SUMS describe. */
export type ExpectedRelease = Pick<Release, "snapshot" | "sums">;

export interface Site extends ListingPlace {
  asker: Asker;
  pages: number;
  /** Undefined if neither a release on disk nor the host tells. */
  release: ExpectedRelease | undefined;
  /** The Cache-Control that pages should have, if known. */
  cacheControl: string | undefined;
  /** Page 1, plain. */
  first: Answer;
}

/** Whether a header has exactly one line, with one of some values. */
export function hasHeader({ headers, lines }: Answer, name: string, ...values: readonly string[]): boolean {
  const found = comparable(name, headers.get(name) ?? "");
  return lines.get(name.toLowerCase()) === 1 && values.some((value) => comparable(name, value) === found);
}

/** Normalizes a header value. Ignores case, except in methods, and the order of Vary and Allow. */
function comparable(name: string, value: string): string {
  const text = name === "Allow" ? value : value.toLowerCase();
  if (name !== "Allow" && name !== "Vary") return text;
  return text
    .split(/[ \t]*,[ \t]*/)
    .sort()
    .join(", ");
}

/** The expected values of Vary: with Accept-Encoding if pages are compressed. Without a release, that of page 1. */
export function varyOf({ release, first }: Site): string[] {
  const both = ["Accept", "Accept, Accept-Encoding"];
  if (release) return [both[release.snapshot.encodings.length > 0 ? 1 : 0] ?? ""];
  const found = both.filter((vary) => hasHeader(first, "Vary", vary));
  return found.length > 0 ? found : both;
}

/** Parses the page of a response. Otherwise, `why` is the end of a sentence, and `received` names the response. */
export function readPage(answer: Answer): PageBody | { why: string; received: string } {
  const { status, headers, body, flaw } = answer;
  const location = headers.get("Location");
  if (status >= 300 && status < 400 && location !== null) {
    const to = `(${status}) to ${JSON.stringify(location.slice(0, 200))}`;
    return { why: `redirects ${to} instead of sending a page`, received: `a redirect ${to}` };
  }
  const received = `${status} (${headers.get("Content-Type") ?? "no Content-Type"})`;
  if (status !== 200) return { why: `answers ${received} instead of a page (200)`, received };
  const read = flaw === undefined ? readBody(body) : { why: flaw };
  if ("envelope" in read) return read;
  const all = `${received} with a body that ${read.why}`;
  return { why: `answers ${all}`, received: all };
}

/** The number of the page in a response, by its links; undefined if it is not a page. */
export function pageIn(answer: Answer, { path }: Pick<Site, "path">): number | undefined {
  const read = readPage(answer);
  if (!("envelope" in read)) return undefined;
  const { next, previous } = read.envelope;
  const [after, before] = [next, previous].map((link) => link && parsePageUrl(link, path)?.page);
  return before ? before + 1 : after ? after - 1 : 1;
}
