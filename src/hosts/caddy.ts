/** Caddy: the administrator's site block imports a file of the current release. */
import { ENCODINGS } from "../contract/headers.js";
import { usageError } from "../errors.js";
import { isPacked } from "../release/layout.js";
import { type Deployment, type HostedSite, tagsOf } from "./deployment.js";
import type { Host } from "./host.js";
import { DIGITS, encodingPatterns, literal, PAGE_NUMBER, PATTERN_LIMITATIONS, QUERY } from "./patterns.js";
import { BODIES, decodePath, type Headers, INVALID_PAGE_BODY, pathsOfFamilies } from "./rules.js";

const INCLUDED = "caddy.conf";

export const caddy: Host = {
  name: "caddy",
  title: "Caddy",
  query: "map",
  compression: "files",
  tested: "Caddy of Debian",
  limitations: PATTERN_LIMITATIONS,
  steps: ["Gets its own certificate if the base URL has https, unless --listen-port is given."],
  site: (site) => ({
    path: "rollcall.caddy",
    what: "Caddy, as the host",
    instructions:
      "Import it in a Caddyfile: import rollcall.caddy. You can edit it: Rollcall does not overwrite it.\n" +
      "After each build, and after rollcall use: systemctl reload caddy.",
    text: writeSite(site),
  }),
  included: (deployment) => [
    {
      path: INCLUDED,
      what: "Caddy, in the block of a site: the answers",
      instructions: "Imported by the site's file.",
      text: [...answers(deployment), ...failures(deployment), ""].join("\n"),
    },
  ],
};

function writeSite(site: HostedSite): string {
  const { base, serverName, address } = site;
  return [
    `${quoteCaddy(addressOf(site))} {`,
    ...indent([
      ...(address === undefined ? [] : [`bind ${quoteCaddy(address.replace(/^\[(.*)\]$/, "$1"))}`]),
      "# With https:// above, Caddy gets a certificate, unless this line names yours:",
      `# tls /etc/ssl/certs/${serverName}.pem /etc/ssl/private/${serverName}.key`,
      ...(base === "" ? [] : ["", "# Add a line like this for each other listing of this name."]),
      `import ${caddyWord(plainPath(site.included(INCLUDED)))}`,
      ...(base === "" ? [] : ["# Anything else is not found.", ...caddyBlock("handle", ["error 404"])]),
    ]),
    "}",
    "",
  ].join("\n");
}

/** The site's address. With --listen-port, a server in front has the certificate. */
function addressOf({ baseUrl, serverName, port }: HostedSite): string {
  if (port !== undefined) return `http://${serverName}:${port}`;
  const own = new URL(baseUrl).port;
  return `https://${serverName}${own && `:${own}`}`;
}

/** Refuses paths with characters that `import` interprets and cannot escape. @throws UserError (usage) */
function plainPath(path: string): string {
  if (!/[*?[\]{]/.test(path)) return path;
  throw usageError(
    `Caddy cannot import ${JSON.stringify(path)}, since it reads *, ?, [ and { as patterns; pass another --root.`,
  );
}

/** Directives of one listing. Names and matchers are unique, since a block may have several listings. */
function answers(deployment: Deployment): string[] {
  const { key, base } = deployment;
  const inner = [...placeholders(deployment), "", "route {", ...indent(route(deployment)), "}"];
  if (base === "") return caddyBlock("handle", inner);
  const area = caddyWord(`^${letters(decodePath(base).toString())}(?:/|$)`);
  return [`@${key} vars_regexp {http.request.orig_uri.path} ${area}`, ...caddyBlock(`handle @${key}`, inner)];
}

/** Refuses a brace in the root, which Caddy 2.6 reads as a variable even if escaped. @throws UserError (usage) */
function plainRoot(root: string): string {
  if (!root.includes("{")) return root;
  throw usageError(
    `Caddy cannot serve from ${JSON.stringify(root)}, since it reads the brace as a variable; pass another --root.`,
  );
}

function route(deployment: Deployment): string[] {
  const { key, folder: root, headers, error, page, preflight, moved, redirects, encodings } = deployment;
  const { files, families } = deployment;
  const others = [...files, ...families.map(({ folder, headers }) => [folder, headers] as const)];
  const large = [
    ...families.filter(({ hasRanges }) => hasRanges).map(({ folder }) => folder),
    ...[...files.keys()].filter(isPacked),
  ];
  return [
    `root * ${caddyWord(plainRoot(root))}`,
    ...setHeaders(headers),
    "@options method OPTIONS",
    ...caddyBlock("handle @options", [...setHeaders(preflight), "respond 204"]),
    "@refused not method GET HEAD",
    ...caddyBlock("handle @refused", refuse(405, error)),
    ...[...redirects.values()].flatMap((to, at) => [
      `@bare${at} vars {${key}_kind} bare${at}`,
      ...caddyBlock(`handle @bare${at}`, redirectTo(to, moved)),
    ]),
    `vars tag {${key}_tag}`,
    "@missing vars {http.vars.tag} none",
    `@page vars {${key}_kind} listing page`,
    ...caddyBlock("handle @missing", [
      ...caddyBlock("handle @page", refuse(404, error, INVALID_PAGE_BODY)),
      ...refuse(404, error),
    ]),
    "",
    "header ETag {http.vars.tag}",
    ...others.flatMap(([kind, headers], at) => [
      `@other${at} vars {${key}_kind} ${kind}`,
      ...setHeaders(headers, `@other${at} `),
    ]),
    ...setHeaders(page, "@page "),
    `@whole not vars {${key}_kind} ${large.join(" ")}`,
    ...encodings.flatMap((name) => [
      `@${name} vars {${key}_coding} ${name}`,
      // Deferred, since the file server omits Content-Length if it finds a coding.
      ...caddyBlock(`header @${name}`, [`Content-Encoding ${name}`, "defer"]),
    ]),
    '@fresh expression {http.request.header.If-None-Match}.contains({http.vars.tag}) || {http.request.header.If-None-Match}.matches("^[ \\t]*[*][ \\t]*$")',
    ...caddyBlock("handle @fresh", ["respond 304"]),
    "# Keep the file server from comparing times and sizes: bytes can change without them.",
    "request_header @whole -Range",
    "# Go answers invalid ranges with an error.",
    '@odd not header_regexp Range "^bytes=(?:[0-9]+-[0-9]*|-[0-9]+)$"',
    "request_header @odd -Range",
    '@stale expression {http.request.header.If-Range} != "" && {http.request.header.If-Range} != {http.vars.tag}',
    "request_header @stale -Range",
    ...["If-None-Match", "If-Modified-Since", "If-Match", "If-Unmodified-Since", "If-Range"].map(
      (name) => `request_header -${name}`,
    ),
    ...caddyBlock("header", ["-Last-Modified", "ETag {http.vars.tag}", "defer"]),
    ...caddyBlock("header @whole", ["-Accept-Ranges", "defer"]),
    `rewrite * /{${key}_file}`,
    ...caddyBlock("file_server", ["pass_thru"]),
    "# The folder of the release is damaged.",
    "error 500",
  ];
}

/**
 * Error answers of the whole block. With several listings, those of the first one are used; a listing's own headers are set
 * before.
 */
function failures({ key, headers, error }: Deployment): string[] {
  return [
    "# Errors of Caddy, and of paths that nothing else in this block answers.",
    ...caddyBlock("handle_errors", [
      ...setHeaders(headers, "?"),
      ...setHeaders(error),
      "header -ETag",
      // CONNECT has no path.
      `@${key}_connect method CONNECT`,
      `respond @${key}_connect ${caddyWord(BODIES[405])} 405`,
      `@${key}_missing expression {http.error.status_code} == 404`,
      `respond @${key}_missing ${caddyWord(BODIES[404])} 404`,
      `respond ${caddyWord(BODIES[500])} 500`,
    ]),
  ];
}

function redirectTo(to: string, moved: Headers): string[] {
  return [
    ...setHeaders(moved),
    // Caddy drops the `?` of an empty query.
    '@query expression {http.request.orig_uri.query} != ""',
    `header @query Location ${caddyWord(`${literally(to)}?{http.request.orig_uri.query}`)}`,
    '@plain expression {http.request.orig_uri.query} == ""',
    `header @plain Location ${quoteCaddy(to)}`,
    "header Content-Length 0",
    "respond 301",
  ];
}

function refuse(status: keyof typeof BODIES, error: Headers, body = BODIES[status]): string[] {
  return [...setHeaders(error), `respond ${caddyWord(body)} ${status}`];
}

/** Sets headers. @param before a matcher or an operator. */
function setHeaders(headers: Headers, before = ""): string[] {
  return Object.entries(headers).map(([name, value]) => `header ${before}${name} ${quoteCaddy(value)}`);
}

/** Maps that compute placeholders from the original request, on demand. */
function placeholders(deployment: Deployment): string[] {
  const { key, base, listing, redirects, pages, pageFolder, files, routes, families, encodings } = deployment;
  const path = (text: string) => letters(decodePath(text).toString());
  const file = (number: string) => caddyWord(`${pageFolder}/${number}.json{${key}_suffix}`);
  // A key that begins with a tilde would be a pattern.
  const before = pageFolder.startsWith("~") ? "=" : "";
  return [
    ...caddyMap("{http.request.orig_uri.query}", `${key}_page`, "1", [
      [caddyPattern(QUERY.twice), "none"],
      [caddyPattern(QUERY.page), caddyWord(DIGITS.map(group).join(""))],
      [caddyPattern(QUERY.empty), "1"],
      [caddyPattern(QUERY.other), "none"],
    ]),
    ...caddyMap("{http.request.header.Accept-Encoding}", `${key}_suffix`, '""', [
      ...encodingPatterns(encodings).map(
        (each) => [caddyPattern(`(?i)${each.pattern}`), caddyWord(each.suffix)] as const,
      ),
    ]),
    ...caddyMap("{http.request.orig_uri.path}", `${key}_number`, "none", [
      [caddyPattern(`^${path(pages)}(${PAGE_NUMBER})\\.json$`), caddyWord(group(1))],
    ]),
    ...caddyMap("{http.request.orig_uri.path}", `${key}_of_family`, "none", [
      [caddyPattern(`^${path(`${base}/`)}(${pathsOfFamilies(families)})$`), caddyWord(group(1))],
    ]),
    ...caddyMap("{http.request.orig_uri.path}", `${key}_kind`, "none", [
      [caddyPattern(`^${path(listing)}$`), "listing"],
      [caddyPattern(`^${path(pages)}[^/]*\\.json$`), "page"],
      ...[...redirects.keys()].map((bare, at) => [caddyPattern(`^${path(bare)}$`), `bare${at}`] as const),
      ...families.map(
        ({ folder, names }) => [caddyPattern(`^${path(`${base}/`)}${folder}/${names}$`), folder] as const,
      ),
      ...[...routes].map(([route, name]) => [caddyPattern(`^${path(route)}$`), name] as const),
    ]),
    ...caddyMap(`{${key}_kind}`, `${key}_file`, "none", [
      ["listing", file(`{${key}_page}`)],
      ["page", file(`{${key}_number}`)],
      ...families.map(({ folder }) => [folder, caddyWord(`{${key}_of_family}`)] as const),
      ...[...files.keys()].map((name) => [name, name] as const),
    ]),
    ...caddyMap(`{${key}_file}`, `${key}_coding`, "none", [
      ...encodings.map((name) => [caddyPattern(`\\.json\\${ENCODINGS[name]}$`), name] as const),
    ]),
    "# The files of the release, each with its digest.",
    ...caddyMap(`${before}{${key}_file}`, `${key}_tag`, "none", [
      ...[...tagsOf(deployment)].map(([name, tag]) => [`${before}${name}`, caddyWord(tag)] as const),
    ]),
  ];
}

function caddyBlock(head: string, lines: readonly string[]): string[] {
  return [`${head} {`, ...indent(lines), "}"];
}

/** Computes the placeholder `to` from `source`, by the first row that matches. */
function caddyMap(
  source: string,
  to: string,
  otherwise: string,
  rows: readonly (readonly [string, string])[],
): string[] {
  const lines = rows.map(([from, value]) => `${from} ${value}`);
  return [`map ${source} {${to}} {`, ...indent([...lines, `default ${otherwise}`]), "}"];
}

/** A reference to a group of a pattern. */
function group(number: number): string {
  return `$${`{${number}}`}`;
}

function indent(lines: readonly string[]): string[] {
  return lines.map((line) => (line === "" ? line : `\t${line}`));
}

/** A pattern of a text for Go, which matches code points instead of bytes. */
function letters(text: string): string {
  return [...text]
    .map((letter) => (letter > "\x7f" ? `\\x{${letter.codePointAt(0)?.toString(16)}}` : literal(letter)))
    .join("");
}

function caddyPattern(text: string): string {
  return caddyWord(`~${text}`);
}

/** Quotes a value without placeholders. */
function quoteCaddy(text: string): string {
  return caddyWord(literally(text));
}

/** Escapes placeholders in a value. */
function literally(text: string): string {
  return text.replaceAll("{", "\\{");
}

/** Quotes a word of a Caddyfile, keeping placeholders. @throws UserError (usage) if it contains `{$` */
function caddyWord(text: string): string {
  // Caddy replaces environment variables before parsing, even within quotes.
  if (text.includes("{$"))
    throw usageError(`A Caddyfile cannot hold ${JSON.stringify(text)}: it would read {$...} as a variable.`);
  if (/^[\w.:/$-]+$/.test(text)) return text;
  return text.includes("`") ? `"${text.replaceAll('"', '\\"')}"` : `\`${text}\``;
}
