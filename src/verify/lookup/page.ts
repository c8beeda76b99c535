/** What must be true of the page for people, whichever version of Rollcall wrote it: it leads nowhere but into its release. */

import { canParse } from "../../contract/links.js";
import { POLICY } from "../../explorer/policy.js";
import { showValue } from "../../print/text.js";
import type { LookupDifference } from "./differences.js";

/** Bytes of index.html, which shows a hundred values of each field at most. */
export const MAX_EXPLORER = 2 ** 24;

/** A tag and what stands behind it. Text and values of attributes have no `<` of their own, as Rollcall writes them: so each is looked at once. */
const TAG = /<([a-z][a-z0-9-]*)([^<]*)/gi;
/** What may stand before a tag's end: quoted values, and what ends it, or is no quote's pair. */
const QUOTED_OR_END = /"[^"]*"|'[^']*'|[>"']/g;
const ATTRIBUTE = /(?<![^\s"'=<>/])([^\s"'=<>/]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/g;
/** Attributes whose value is a URL that a browser asks for, or leads to. */
const OF_URLS: readonly string[] = [
  "href",
  "src",
  "srcset",
  "action",
  "formaction",
  "data",
  "poster",
  "xlink:href",
  "ping",
];
/** Of a policy in a message. */
const LONGEST_POLICY = 300;
const CHARACTERS: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&quot;": '"',
  "&#39;": "'",
  "&lt;": "<",
  "&gt;": ">",
};

/** @param isThere whether the release has a file for readers. */
export function* explorerFlaws(html: string, isThere: (path: string) => boolean): Generator<LookupDifference> {
  try {
    yield* flawsOf(html, isThere);
  } catch (error) {
    // V8 has 64 MiB for what a match may still go back to.
    if (!(error instanceof RangeError)) throw error;
    yield { found: "a tag of millions of characters", expected: "tags as Rollcall writes them" };
  }
}

function* flawsOf(html: string, isThere: (path: string) => boolean): Generator<LookupDifference> {
  let policy: string | undefined;
  for (const [, name = "", rest = ""] of html.matchAll(TAG)) {
    const end = endOf(rest);
    if (end === undefined) {
      yield { found: "a tag that is not closed, or has a < in it", expected: "tags as Rollcall writes them" };
      return;
    }
    // Of those with one name, browsers take the first.
    const attributes = new Map([...attributesIn(rest.slice(0, end))].reverse());
    const header = attributes.get("http-equiv")?.toLowerCase();
    if (header === "content-security-policy" && (policy === undefined || policy === POLICY))
      policy = attributes.get("content") ?? "";
    if (header === "refresh") yield { found: '<meta http-equiv="refresh">', expected: "a page that stays where it is" };
    for (const [attribute, value] of attributes) {
      if (!OF_URLS.includes(attribute)) continue;
      const found = `<${name.toLowerCase()} ${attribute}=${showValue(value)}>`;
      const path = pathOf(value);
      if (path === undefined) yield { found, expected: "a relative URL of a file of the release" };
      else if (path !== "" && !isThere(path)) yield { found, expected: "a file that the release has" };
    }
  }
  if (policy === undefined) yield { found: "no policy", expected: POLICY };
  else if (policy !== POLICY) yield { found: showValue(policy, LONGEST_POLICY), expected: POLICY };
}

/** Where a tag ends; undefined where nothing outside of quotes ends it. */
function endOf(rest: string): number | undefined {
  for (const { 0: part, index } of rest.matchAll(QUOTED_OR_END))
    if (part.length === 1) return part === ">" ? index : undefined;
  return undefined;
}

function* attributesIn(text: string): Generator<[name: string, value: string]> {
  for (const [, name = "", double, single, bare] of text.matchAll(ATTRIBUTE)) {
    const value = double ?? single ?? bare ?? "";
    yield [name.toLowerCase(), value.replace(/&(?:amp|quot|#39|lt|gt);/g, (escaped) => CHARACTERS[escaped] ?? escaped)];
  }
}

const BASE = "https://listing.invalid/a/";

/** The path, inside the release, that a URL on the page leads to, empty for a place on the page; undefined for any other URL. */
function pathOf(url: string): string | undefined {
  if (url.startsWith("#")) return "";
  if (/^[/\\\s]|:|(?:^|\/)\.\./.test(url) || !canParse(url, BASE)) return undefined;
  const { href, pathname } = new URL(url, BASE);
  if (!href.startsWith(BASE)) return undefined;
  try {
    return decodeURIComponent(pathname.slice("/a/".length));
  } catch {
    return undefined;
  }
}
