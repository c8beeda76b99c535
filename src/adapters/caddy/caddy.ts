/** Caddy: maps from a request to a file of the release and its tag, and one route that uses them. */
import { ENCODINGS } from "../../contract/headers.js";
import { usageError } from "../../errors.js";
import { PAGES } from "../../release/layout.js";
import type { Adapter } from "../rules/adapter.js";
import { type Deployment, type HostedSite, tagsOf } from "../rules/deployment.js";
import { DIGITS, encodingPatterns, literal, PAGE_NUMBER, PATTERN_LIMITATIONS, QUERY } from "../rules/patterns.js";
import { BODIES, decodePath, type Headers, INVALID_PAGE_BODY } from "../rules/rules.js";
import { block, caddyWord, group, indent, letters, literally, map, pattern, quoteCaddy } from "./language.js";

export const caddy: Adapter = {
  name: "caddy",
  title: "Caddy",
  query: "map",
  compression: "files",
  tested: "Caddy of Debian",
  limitations: {
    ...PATTERN_LIMITATIONS,
    malformed: "Go's parser answers malformed requests itself, with text/plain and without the headers",
    "options-of-server": "Go answers OPTIONS * itself",
    "http-1.0": "Go answers HTTP/1.0 with HTTP/1.0",
  },
  steps: ["Gets its own certificate where the base URL has https, unless --listen-port is given."],
  files: (deployment, site) => [
    {
      path: "rollcall.caddy",
      what: "Caddy, as the host",
      instructions:
        "Goes into a Caddyfile by a line: import rollcall.caddy; then caddy reload.\n" +
        "It names one release: write it again after each build.",
      text: writeCaddy(deployment, site),
    },
  ],
};

function writeCaddy(deployment: Deployment, site: HostedSite): string {
  return [
    "(rollcall_headers) {",
    ...indent(setHeaders(deployment.headers)),
    "}",
    "",
    `${quoteCaddy(addressOf(site))} {`,
    ...indent([...maps(deployment), "", "route {", ...indent(route(deployment)), "}", ...failures(deployment)]),
    "}",
    "",
  ].join("\n");
}

/** Caddy gets its own certificate for https without a port; a port means that a server in front has one. */
function addressOf({ serverName, port, protocol }: HostedSite): string {
  if (port === undefined && protocol === "https:") return `https://${serverName}`;
  return `http://:${port ?? 80}`;
}

/** Caddy computes each from the request as it came, when something uses it. */
function maps(deployment: Deployment): string[] {
  const { base, listing, bare, pages, files, encodings } = deployment;
  const path = (text: string) => letters(decodePath(text).toString());
  const file = (number: string) => caddyWord(`${PAGES}/${number}.json{rollcall_suffix}`);
  return [
    ...map("{http.request.orig_uri.query}", "rollcall_page", "1", [
      [pattern(QUERY.twice), "none"],
      [pattern(QUERY.page), caddyWord(DIGITS.map(group).join(""))],
      [pattern(QUERY.empty), "1"],
      [pattern(QUERY.other), "none"],
    ]),
    ...map("{http.request.header.Accept-Encoding}", "rollcall_suffix", '""', [
      ...encodingPatterns(encodings).map((each) => [pattern(`(?i)${each.pattern}`), caddyWord(each.suffix)] as const),
    ]),
    ...map("{http.request.orig_uri.path}", "rollcall_number", "none", [
      [pattern(`^${path(pages)}(${PAGE_NUMBER})\\.json$`), caddyWord(group(1))],
    ]),
    ...map("{http.request.orig_uri.path}", "rollcall_kind", "none", [
      [pattern(`^${path(listing)}$`), "listing"],
      [pattern(`^${path(pages)}[^/]*\\.json$`), "page"],
      [pattern(`^${path(bare)}$`), "bare"],
      ...[...files.keys()].map((name) => [pattern(`^${path(`${base}/`)}${literal(name)}$`), name] as const),
    ]),
    ...map("{rollcall_kind}", "rollcall_file", "none", [
      ["listing", file("{rollcall_page}")],
      ["page", file("{rollcall_number}")],
      ...[...files.keys()].map((name) => [name, name] as const),
    ]),
    ...map("{rollcall_file}", "rollcall_coding", "none", [
      ...encodings.map((name) => [pattern(`\\.json\\${ENCODINGS[name]}$`), name] as const),
    ]),
    "# The files of the release, each with its digest.",
    ...map("{rollcall_file}", "rollcall_tag", "none", [
      ...[...tagsOf(deployment)].map(([name, tag]) => [name, caddyWord(tag)] as const),
    ]),
  ];
}

/** @throws UserError (usage) for a brace: in a root, Caddy 2.6 takes it for a variable even with an escape. */
function plainRoot(root: string): string {
  if (!root.includes("{")) return root;
  throw usageError(
    `Caddy cannot serve from ${JSON.stringify(root)}, whose brace it would read as a variable's; give another --root.`,
  );
}

function route(deployment: Deployment): string[] {
  const { folder: root, error, page, preflight, moved, redirect, files, encodings } = deployment;
  return [
    `root * ${caddyWord(plainRoot(root))}`,
    "import rollcall_headers",
    "@options method OPTIONS",
    ...block("handle @options", [...setHeaders(preflight), "respond 204"]),
    "@refused not method GET HEAD",
    ...block("handle @refused", refuse(405, error)),
    "@bare vars {rollcall_kind} bare",
    ...block("handle @bare", [
      ...setHeaders(moved),
      // For an empty query after a `?`, Caddy has no `?`.
      '@query expression {http.request.orig_uri.query} != ""',
      `header @query Location ${caddyWord(`${literally(redirect)}?{http.request.orig_uri.query}`)}`,
      '@plain expression {http.request.orig_uri.query} == ""',
      `header @plain Location ${quoteCaddy(redirect)}`,
      "header Content-Length 0",
      "respond 301",
    ]),
    "vars tag {rollcall_tag}",
    "@missing vars {http.vars.tag} none",
    "@page vars {rollcall_kind} listing page",
    ...block("handle @missing", [
      ...block("handle @page", refuse(404, error, INVALID_PAGE_BODY)),
      ...refuse(404, error),
    ]),
    "",
    "header ETag {http.vars.tag}",
    ...[...files].flatMap(([name, headers], at) => [
      `@other${at} vars {rollcall_kind} ${name}`,
      ...setHeaders(headers, `@other${at} `),
    ]),
    ...setHeaders(page, "@page "),
    ...encodings.flatMap((name) => [
      `@${name} vars {rollcall_coding} ${name}`,
      // Set at the end, since the file server omits the length where it finds a coding.
      ...block(`header @${name}`, [`Content-Encoding ${name}`, "defer"]),
    ]),
    '@fresh expression {http.request.header.If-None-Match}.contains({http.vars.tag}) || {http.request.header.If-None-Match}.matches("^[ \\t]*[*][ \\t]*$")',
    ...block("handle @fresh", ["respond 304"]),
    "# Bytes can change without their time and size, so the file server does not compare these.",
    ...["If-None-Match", "If-Modified-Since", "If-Match", "If-Unmodified-Since", "If-Range", "Range"].map(
      (name) => `request_header -${name}`,
    ),
    "header {",
    "\t-Last-Modified",
    "\t-Accept-Ranges",
    "\tETag {http.vars.tag}",
    "\tdefer",
    "}",
    "rewrite * /{rollcall_file}",
    "file_server",
  ];
}

/** The file server fails only where the folder is damaged. */
function failures({ error }: Deployment): string[] {
  return block("handle_errors", ["import rollcall_headers", ...refuse(500, error)]);
}

function refuse(status: keyof typeof BODIES, error: Headers, body = BODIES[status]): string[] {
  return [...setHeaders(error), `respond ${caddyWord(body)} ${status}`];
}

function setHeaders(headers: Headers, matcher = ""): string[] {
  return Object.entries(headers).map(([name, value]) => `header ${matcher}${name} ${quoteCaddy(value)}`);
}
