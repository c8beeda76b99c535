/** The rewrite rules that find the file for a request, as far as a virtual host and a .htaccess share them. */
import { type ErrorStatus, INVALID_PAGE } from "../../contract/headers.js";
import { DIGITS, encodingPatterns, PAGE_NUMBER, QUERY, spelling } from "../rules/patterns.js";
import type { Rules } from "../rules/rules.js";

/** A pattern for a path: for the whole path of a URL, or for what follows the folder of a .htaccess. */
export type PathPattern = (path: string) => string;

/** Answers all methods but GET and HEAD. */
export function writeMethods(): string[] {
  return [
    "RewriteEngine On",
    "# The body of an error is not a request.",
    "RewriteCond %{ENV:REDIRECT_STATUS} ^[45]",
    "RewriteRule ^ - [END]",
    "RewriteRule ^ - [E=ROLLCALL_QUERY:]",
    "RewriteCond %{QUERY_STRING} .",
    "RewriteRule ^ - [E=ROLLCALL_QUERY:?%{QUERY_STRING}]",
    "RewriteCond %{REQUEST_METHOD} =OPTIONS",
    `RewriteRule ^ - ${answer(204)}`,
    "RewriteCond %{REQUEST_METHOD} !^(?:GET|HEAD)$",
    `RewriteRule ^ - ${answer(405)}`,
  ];
}

/** Finds nothing by a path in another spelling than that of links, which Apache brings into that form. */
export function writeSpelling(base: string): string[] {
  const request = `!^\\S+ (?:[A-Za-z]+://[^/?\\s]*)?${spelling(base, "\\s")}`;
  return [`RewriteCond %{THE_REQUEST} ${apacheWord(request)}`, `RewriteRule ^ - ${answer(404)}`];
}

/** Redirects where the slash is missing, and sets ROLLCALL_PAGE and ROLLCALL_SUFFIX by the last rule that matches. */
export function writePageRules(rules: Rules, path: PathPattern): string[] {
  const { redirects, listing, pages, encodings } = rules;
  const query = (pattern: string, page: string) => [
    `RewriteCond %{QUERY_STRING} ${apacheWord(pattern)}`,
    `RewriteRule ^ - [E=ROLLCALL_PAGE:${page}]`,
  ];
  return [
    ...[...redirects.keys()].map((bare) => redirectFrom(`^${path(bare)}$`, rules, bare)),
    "RewriteRule ^ - [E=ROLLCALL_PAGE:1]",
    ...query(QUERY.other, "none"),
    ...query(QUERY.empty, "1"),
    ...query(QUERY.page, DIGITS.map((group) => `%${group}`).join("")),
    ...query(QUERY.twice, "none"),
    `RewriteRule ${apacheWord(`^${path(pages)}(${PAGE_NUMBER})\\.json$`)} - [E=ROLLCALL_PAGE:$1]`,
    ...encodingPatterns(encodings)
      .reverse()
      .flatMap(({ pattern, suffix }) => [
        `RewriteCond %{HTTP:Accept-Encoding} ${apacheWord(pattern)} [NC,NV]`,
        `RewriteRule ^ - [E=ROLLCALL_SUFFIX:${suffix}]`,
      ]),
    `RewriteRule ${apacheWord(`^${path(listing)}(?:pages/[^/]*\\.json)?$`)} - ${apacheWord(`[E=ROLLCALL_DETAIL:${INVALID_PAGE}]`)}`,
  ];
}

/** The file of the release that ROLLCALL_PAGE and ROLLCALL_SUFFIX name. */
export function pageFile({ pageFolder }: Rules): string {
  return `${pageFolder}/%{ENV:ROLLCALL_PAGE}.json%{ENV:ROLLCALL_SUFFIX}`;
}

/** The pattern of every path that `pageFile` answers. */
export function pagePattern({ listing }: Rules, path: PathPattern): string {
  return apacheWord(`^${path(listing)}(?:pages/${PAGE_NUMBER}\\.json)?$`);
}

/** Answers a path without its last slash. A header says where to: Apache's own Location has the Host that the client has sent. */
export function redirectFrom(pattern: string, { base }: Rules, bare: string): string {
  return `RewriteRule ${apacheWord(pattern)} / [R=301,L,E=ROLLCALL_MOVED:${redirectName(base, bare)}]`;
}

/** What the rules call a redirect, since its path may have characters that end a flag. */
export function redirectName(base: string, bare: string): string {
  return bare === base ? "base" : "listing";
}

export function answer(status: ErrorStatus | 204): string {
  return `[R=${status},END]`;
}

/** One word of a rewrite rule. A quote in it cannot be escaped, since a backslash belongs to the pattern. */
export function apacheWord(text: string): string {
  return `"${text}"`;
}
