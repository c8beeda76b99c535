/** Caddy 2.6: maps from requests to files of `dist/current`, and a site block that uses them. */
import { ENCODINGS, NO_CACHE } from "../core/contract/headers.js";
import { usageError } from "../core/errors.js";
import { CURRENT, EXPLORER } from "../core/release/layout.js";
import { type HostedSite, plainPath } from "./hosted-site.js";
import { type HostKind, indent, lines, ONCE, OWN_TAGS } from "./kind.js";
import { encodingPatterns, literal, QUERY } from "./patterns.js";
import {
  BODIES,
  decodePath,
  differing,
  EXPLORER_HEADERS,
  FILE_PATTERN,
  folderPattern,
  type Headers,
  INVALID_PAGE_BODY,
  OTHER_TYPE,
  RANGED_PATTERN,
  REVALIDATED_PATTERN,
  type SiteRules,
  TYPES_BY_EXTENSION,
  withPages,
} from "./rules.js";

export const caddy: HostKind = {
  name: "caddy",
  title: "Caddy",
  query: "map",
  compression: "files",
  tested: "Caddy of Debian",
  unmetChecks: { ...OWN_TAGS, "part-beyond": "Its 416 is plain text, with the file's Cache-Control" },
  steps: [],
  site: [
    {
      path: "rollcall.caddy",
      what: "Caddy, as the host",
      instructions: `Import it in a Caddyfile: import rollcall.caddy; then caddy reload. ${ONCE}`,
      text: writeSite,
    },
  ],
};

function writeSite(site: HostedSite): string {
  const { rules, address } = site;
  return lines(
    `${quoteCaddy(addressOf(site))} {`,
    ...indent(
      [
        ...(address === undefined ? [] : [`bind ${quoteCaddy(address.replace(/^\[(.*)\]$/, "$1"))}`]),
        ...placeholders(rules),
        "",
        ...block("route", route(rules, plainPath(site.dist))),
        "",
        ...block("handle_errors", failures(rules)),
      ],
      "\t",
    ),
    "}",
  );
}

/** The site's address. With --listen-port, a server in front has the certificate. */
function addressOf({ baseUrl, serverName, port }: HostedSite): string {
  if (port !== undefined) return `http://${serverName}:${port}`;
  const own = new URL(baseUrl).port;
  return `https://${serverName}${own && `:${own}`}`;
}

const URI = "{http.request.orig_uri.path}";

/** Maps that compute placeholders from the original request, on demand. */
function placeholders(rules: SiteRules): string[] {
  const { parts, encodings, last } = rules;
  const paged = withPages(rules).map((part, at) => ({ ...part, kind: part.folder === "" ? "" : `_${at}` }));
  return [
    "# The page of the query; a page 0 never exists. {query.page} would lose parameters with a semicolon.",
    ...map("{http.request.orig_uri.query}", "{rollcall_page}", "1", [
      [pattern(QUERY.page), group(1)],
      [pattern(QUERY.other), "0"],
    ]),
    "# The coding of the page.",
    ...map(
      "{http.request.header.Accept-Encoding}",
      "{rollcall_suffix}",
      '""',
      encodingPatterns(encodings).map((each) => [pattern(`(?i)${each.pattern}`), each.suffix] as const),
    ),
    "# The file, in two steps: Caddy 2.6 leaves placeholders in rows with patterns as they are.",
    ...map(URI, "{rollcall_kind} {rollcall_name}", "none none", [
      ...paged.flatMap(({ kind, rules: { listing, pages } }) => [
        [pattern(`^${letters(listing)}$`), `listing${kind} ""`] as const,
        [pattern(`^${letters(pages)}([^/]*\\.json)$`), `page${kind} ${group(1)}`] as const,
      ]),
      ...parts.flatMap(({ folder, rules: { base, routes } }) => [
        ...[...routes]
          .filter(([route, name]) => route !== `${base}/${name}`)
          .map(([route, name]) => [pattern(`^${letters(route)}$`), `file ${folder}${name}`] as const),
        [pattern(`^${letters(`${base}/`)}(${FILE_PATTERN})$`), `file ${folder}${group(1)}`] as const,
      ]),
    ]),
    ...map("{rollcall_kind}", "{rollcall_file}", "none", [
      ...paged.flatMap(({ kind, pageFolder }) => [
        [`listing${kind}`, `${pageFolder}/{rollcall_page}.json{rollcall_suffix}`] as const,
        [`page${kind}`, `${pageFolder}/{rollcall_name}{rollcall_suffix}`] as const,
      ]),
      ["file", "{rollcall_name}"],
    ]),
    ...map("{rollcall_file}", "{rollcall_type}", quoteCaddy(OTHER_TYPE), [
      ...paged.map(({ pageFolder }) => [pattern(`^${literal(pageFolder)}/`), last.page["Content-Type"]] as const),
      ...[...TYPES_BY_EXTENSION].map(([extension, type]) => [pattern(`\\.${extension}$`), quoteCaddy(type)] as const),
    ]),
  ];
}

function route(rules: SiteRules, dist: string): string[] {
  const { parts, encodings, last } = rules;
  const { headers, preflight, page, moved } = last;
  const folders = folderPattern(rules);
  return [
    `root * ${quoteCaddy(`${dist}/${CURRENT}`)}`,
    ...setHeaders(headers),
    ...differing(rules).flatMap((part, at) => [
      `@part${at} vars_regexp ${URI} ${word(`^${letters(part.base)}(?:/|$)`)}`,
      ...setHeaders(part.headers, `@part${at} `),
    ]),
    "@options method OPTIONS",
    ...block("handle @options", [...setHeaders(preflight), "respond 204"]),
    "@refused not method GET HEAD",
    "error @refused 405",
    ...parts
      .flatMap((part) => [...part.rules.redirects])
      .flatMap(([bare, to], at) => [
        `@bare${at} vars_regexp ${URI} ${word(`^${letters(bare)}$`)}`,
        ...block(`handle @bare${at}`, [
          ...setHeaders(moved),
          // Caddy drops the `?` of an empty query.
          '@query expression {http.request.orig_uri.query} != ""',
          `redir @query ${word(`${literally(to)}?{http.request.orig_uri.query}`)} 301`,
          `redir * ${quoteCaddy(to)} 301`,
        ]),
      ]),
    "@none vars {rollcall_file} none",
    "error @none 404",
    "# ETags are made of time and size. A file's times only grow.",
    ...["If-Modified-Since", "If-Unmodified-Since", "If-Match"].map((name) => `request_header -${name}`),
    "# Ranges are of packed files. Go answers an invalid one with an error.",
    "@invalid not header_regexp Range ^bytes=(?:[0-9]+-[0-9]*|-[0-9]+)$",
    "request_header @invalid -Range",
    `@whole not vars_regexp {rollcall_file} ${word(`^${folders}${RANGED_PATTERN}$`)}`,
    "request_header @whole -Range",
    ...block("header @whole", ["-Accept-Ranges", "defer"]),
    "# A release may have been built without codings. Maps are computed at each use.",
    ...block("@missing", ["vars_regexp {rollcall_file} \\.json\\.(?:br|gz)$", "not file /{rollcall_file}"]),
    "request_header @missing -Accept-Encoding",
    "header Content-Type {rollcall_type}",
    `header Cache-Control ${quoteCaddy(page["Cache-Control"])}`,
    `@revalidated vars_regexp {rollcall_file} ${word(`^${folders}${REVALIDATED_PATTERN}$`)}`,
    `header @revalidated Cache-Control ${NO_CACHE}`,
    `@explorer vars {rollcall_file} ${parts.map(({ folder }) => `${folder}${EXPLORER}`).join(" ")}`,
    ...setHeaders(EXPLORER_HEADERS, "@explorer "),
    ...encodings.flatMap((name) => [
      `@${name} vars_regexp {rollcall_file} \\.json\\${ENCODINGS[name]}$`,
      // Deferred, since the file server omits Content-Length if it finds a coding.
      ...block(`header @${name}`, [`Content-Encoding ${name}`, "defer"]),
    ]),
    ...block("header", ["-Last-Modified", "defer"]),
    "rewrite * /{rollcall_file}",
    "file_server",
  ];
}

/** What replaces Caddy's own answers to errors. */
function failures(rules: SiteRules): string[] {
  const { headers, error } = rules.last;
  const listings = withPages(rules).map((part) => letters(part.rules.listing));
  const anyListing = listings.length === 1 ? listings[0] : `(?:${listings.join("|")})`;
  const lost = ["ETag", "Content-Encoding", ...Object.keys(EXPLORER_HEADERS)];
  return [
    ...setHeaders(headers, "?"),
    ...setHeaders(error),
    ...lost.map((name) => `header -${name}`),
    ...block("@pages", [
      "expression {http.error.status_code} == 404",
      `vars_regexp ${URI} ${word(`^${anyListing}(?:pages/[^/]*\\.json)?$`)}`,
    ]),
    `respond @pages ${word(INVALID_PAGE_BODY)} 404`,
    "@missing expression {http.error.status_code} in [403, 404]",
    `respond @missing ${word(BODIES[404])} 404`,
    "@refused expression {http.error.status_code} == 405",
    `respond @refused ${word(BODIES[405])} 405`,
    `respond ${word(BODIES[500])} 500`,
  ];
}

/** Sets headers. @param before a matcher, or `?` for headers that are missing. */
function setHeaders(headers: Headers, before = ""): string[] {
  return Object.entries(headers).map(([name, value]) => `header ${before}${name} ${quoteCaddy(value)}`);
}

function block(head: string, inner: readonly string[]): string[] {
  return [`${head} {`, ...indent(inner, "\t"), "}"];
}

/** Computes placeholders from `source`, by the first row that matches. */
function map(source: string, to: string, otherwise: string, rows: readonly (readonly [string, string])[]): string[] {
  return block(`map ${source} ${to}`, [...rows.map(([from, value]) => `${from} ${value}`), `default ${otherwise}`]);
}

/** A reference to a group of a pattern. */
function group(number: number): string {
  return `$${`{${number}}`}`;
}

/** A pattern of a URL path for Go, which matches code points instead of bytes. */
function letters(path: string): string {
  return [...decodePath(path).toString()]
    .map((letter) => (letter > "\x7f" ? `\\x{${letter.codePointAt(0)?.toString(16)}}` : literal(letter)))
    .join("");
}

function pattern(text: string): string {
  return word(`~${text}`);
}

/** Quotes a value without placeholders. */
function quoteCaddy(text: string): string {
  return word(literally(text));
}

/** Escapes placeholders in a value. */
function literally(text: string): string {
  return text.replaceAll("{", "\\{");
}

/** Quotes a word of a Caddyfile, keeping placeholders. @throws UserError (usage) if it contains `{$` */
function word(text: string): string {
  // Caddy replaces environment variables before parsing, even within quotes.
  if (text.includes("{$"))
    throw usageError(`A Caddyfile cannot hold ${JSON.stringify(text)}: it would read {$...} as a variable.`);
  if (/^[\w.:/$-]+$/.test(text)) return text;
  return text.includes("`") ? `"${text.replaceAll('"', '\\"')}"` : `\`${text}\``;
}
