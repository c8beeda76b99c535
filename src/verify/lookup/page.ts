/** What must be true of the page for people, whichever version of Rollcall wrote it: it leads nowhere but into its release. */

import { canParse } from "../../contract/links.js";
import { POLICY } from "../../explorer/policy.js";
import { showValue } from "../../print/text.js";
import type { LookupDifference } from "./differences.js";

/** Bytes of index.html, which shows a hundred values of each field at most. */
export const MAX_EXPLORER = 2 ** 24;

/** A tag as Rollcall writes it, where text and values of attributes have no `<` of their own: so each is looked at once. */
const TAG = /<([a-z][a-z0-9-]*)((?:[^"'<>]|"[^"<]*"|'[^'<]*')*)>/gi;
const ATTRIBUTE = /([^\s"'=<>/]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/g;
const ANY_TAG = /<[a-z]/gi;
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
export function explorerFlaws(html: string, isThere: (path: string) => boolean): LookupDifference[] {
  const tags = [...html.matchAll(TAG)].map(([, name = "", rest = ""]) => ({
    name: name.toLowerCase(),
    attributes: new Map(attributesIn(rest)),
  }));
  if (tags.length !== (html.match(ANY_TAG) ?? []).length)
    return [{ found: "a tag that is not closed, or has a < in it", expected: "tags as Rollcall writes them" }];
  const policies = tags.filter(({ attributes }) =>
    /^content-security-policy$/i.test(attributes.get("http-equiv") ?? ""),
  );
  const said = policies.map(({ attributes }) => attributes.get("content") ?? "");
  const other = said.find((policy) => policy !== POLICY);
  const flaws: LookupDifference[] = [];
  if (said.length === 0) flaws.push({ found: "no policy", expected: POLICY });
  else if (other !== undefined) flaws.push({ found: showValue(other, LONGEST_POLICY), expected: POLICY });
  for (const { name, attributes } of tags)
    for (const [attribute, value] of attributes) {
      if (!OF_URLS.includes(attribute)) continue;
      const found = `<${name} ${attribute}=${showValue(value)}>`;
      const path = pathOf(value);
      if (path === undefined) flaws.push({ found, expected: "a relative URL of a file of the release" });
      else if (path !== "" && !isThere(path)) flaws.push({ found, expected: "a file that the release has" });
    }
  return flaws;
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
