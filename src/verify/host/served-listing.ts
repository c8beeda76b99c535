/** A host to verify: where its listing is, what it should serve, and how to read its responses. */
import { statSync } from "node:fs";
import { join } from "node:path";
import { type PageBody, readBody } from "../../contract/envelope.js";
import { type ListingPlace, parsePageUrl } from "../../contract/links.js";
import type { Variant } from "../../release/layout.js";
import type { Release } from "../../release/open.js";
import { type Answer, type Asker, MAX_BYTES } from "./ask.js";

/** The codings in which pages and files are requested. */
export const CODINGS: readonly Variant[] = ["identity", "br", "gzip"];

export interface ServedListing extends ListingPlace {
  asker: Asker;
  pages: number;
  /** What the host should serve. With a sample of its pages, a downloaded release has no other pages and files. */
  release: Release;
  /** The Cache-Control that pages should have, if known. */
  cacheControl: string | undefined;
  /** Page 1, plain. */
  first: Answer;
}

/** The maximum bytes of a file's response: its size in the release, or the usual limit if that is more. */
export function mostBytes({ release }: Pick<ServedListing, "release">, path: string): number {
  return Math.max(MAX_BYTES, statSync(join(release.folder, path), { throwIfNoEntry: false })?.size ?? 0);
}

/** Whether a header has exactly one line, with this value. */
export function hasHeader({ headers, lines }: Answer, name: string, value: string): boolean {
  return lines.get(name.toLowerCase()) === 1 && comparable(name, headers.get(name) ?? "") === comparable(name, value);
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

/** The expected Vary: with Accept-Encoding if pages are compressed. */
export function varyOf({ release }: ServedListing): string {
  return release.snapshot.encodings.length > 0 ? "Accept, Accept-Encoding" : "Accept";
}

/** A response in words: its status, and its type or where it redirects to. */
export function describeAnswer({ status, headers }: Answer): string {
  const location = headers.get("Location");
  if (status >= 300 && status < 400 && location !== null)
    return `a redirect (${status}) to ${JSON.stringify(location.slice(0, 200))}`;
  return `${status} (${headers.get("Content-Type") ?? "no Content-Type"})`;
}

/** Parses the page of a response, or says what it is instead. */
export function readPage(answer: Answer): PageBody | { received: string } {
  const received = describeAnswer(answer);
  const { status, body, flaw } = answer;
  if (status !== 200) return { received };
  const read = flaw === undefined ? readBody(body) : { why: flaw };
  return "envelope" in read ? read : { received: `${received} with a body that ${read.why}` };
}

/** The number of the page in a response, by its links; undefined if it is not a page. */
export function pageIn(answer: Answer, { path }: Pick<ServedListing, "path">): number | undefined {
  const read = readPage(answer);
  if (!("envelope" in read)) return undefined;
  const { next, previous } = read.envelope;
  const numberOf = (link: string | null) => (link === null ? undefined : parsePageUrl(link, path)?.page);
  const after = numberOf(next);
  const before = numberOf(previous);
  return before ? before + 1 : after ? after - 1 : 1;
}
