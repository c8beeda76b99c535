/** Apache httpd 2.4: rewrite rules find the file of a request, and a RewriteMap its ETag. */
import { ENCODINGS, ERROR_DETAILS, type ErrorStatus, errorBody, INVALID_PAGE } from "../contract/headers.js";
import { SNAPSHOT } from "../release/layout.js";
import { type Deployment, type HostedSite, tagsOf } from "./deployment.js";
import type { Host } from "./host.js";
import { DIGITS, encodingPatterns, literal, PAGE_NUMBER, PATTERN_LIMITATIONS, QUERY, spelling } from "./patterns.js";
import { BODIES, decodePath, type Headers, pathsOfLarge, type Rules } from "./rules.js";

const RULES = "apache.conf";
const TAGS = "apache-tags.txt";
const REFUSAL_FILE = "apache-405.json";

export const apache: Host = {
  name: "apache",
  title: "Apache httpd",
  query: "mod_rewrite",
  compression: "files",
  tested: "Apache of Debian",
  limitations: PATTERN_LIMITATIONS,
  steps: ["Needs mod_rewrite, mod_headers, mod_setenvif, mod_env, mod_alias and mod_dir."],
  site: (site) => ({
    path: "rollcall.conf",
    what: "Apache, as the virtual host",
    instructions:
      "Put it with the virtual hosts, as /etc/apache2/sites-available/rollcall.conf; then run a2ensite rollcall.\n" +
      "You can edit it: Rollcall does not overwrite it.\n" +
      "After each build, and after rollcall use: apachectl configtest && apachectl graceful.",
    text: writeSite(site),
  }),
  included: (deployment) => [
    {
      path: RULES,
      what: "Apache, in a virtual host: the rules",
      instructions: "Included by the site's file.",
      text: writeRelease(deployment),
    },
    { path: TAGS, instructions: `The digests, for ${RULES}.`, text: writeTags(deployment) },
    { path: REFUSAL_FILE, instructions: `The body of a 405, for ${RULES}.`, text: BODIES[405] },
  ],
};

function writeTags(deployment: Deployment): string {
  return [...tagsOf(deployment)].map(([path, tag]) => `${path} ${tag}\n`).join("");
}

function writeSite({ base, serverName, address, port = 80, included }: HostedSite): string {
  const on = (number: number) => `${address ?? "*"}:${number}`;
  return [
    ...([80, 443].includes(port) ? [] : [...listen(port, address), ""]),
    `<VirtualHost ${on(port)}>`,
    // ServerName does not accept IPv6 addresses.
    `  ${serverName.startsWith("[") ? "ServerAlias" : "ServerName"} ${quoteApache(serverName)}`,
    "",
    `  # For https: a2enmod ssl, ${on(443)} above, a certificate and these lines:`,
    "  # SSLEngine on",
    `  # SSLCertificateFile /etc/letsencrypt/live/${serverName}/fullchain.pem`,
    `  # SSLCertificateKeyFile /etc/letsencrypt/live/${serverName}/privkey.pem`,
    "",
    "  # Add a line like this for each other listing of this name. A listing without a path comes last.",
    `  Include ${quoteApache(pathPattern(included(RULES)))}`,
    ...(base === "" ? [] : ["  # Anything else is not found.", `  RewriteRule ^ - ${answer(404)}`]),
    "</VirtualHost>",
    "",
  ].join("\n");
}

/** Escapes a path for directives in which Apache reads patterns. Between brackets, a character matches itself. */
function pathPattern(path: string): string {
  return path.replace(/[*?[]/g, "[$&]");
}

/** Apache does not start with two Listen lines for one port, so all sites of Rollcall share one. */
function listen(port: number, address?: string): string[] {
  const to = address === undefined ? `${port}` : `${address}:${port}`;
  const name = `ROLLCALL_${to.replace(/\W/g, "_")}`;
  return [
    "# Remove this if the server has such a line already: Apache does not start with two.",
    `<IfDefine !${name}>`,
    `  Define ${name}`,
    `  Listen ${to}`,
    "</IfDefine>",
  ];
}

function writeRelease(deployment: Deployment): string {
  const { key, base, folder, included } = deployment;
  // A path that no release has.
  const refusal = `${base}/.rollcall/405`;
  // Apache would read $1 as a back-reference.
  const refusalUrl = refusal.replaceAll("$", "%24");
  const isSentLarge = `%{REQUEST_STATUS} == '200' && ${isLarge(deployment)}`;
  return [
    `<Directory ${quoteApache(pathPattern(folder))}>`,
    "  AllowOverride None",
    "  Options None",
    "  Require all granted",
    "</Directory>",
    `Alias ${quoteApache(decodePath(refusal).toString())} ${quoteApache(included(REFUSAL_FILE))}`,
    "AllowEncodedSlashes NoDecode",
    "TraceEnable off",
    "MaxRanges 1",
    "",
    ...writeAnswers(deployment, refusalUrl),
    "",
    "# Compare only ETags: bytes can change without their time and size.",
    "Header onsuccess unset ETag",
    `Header always set ETag "%{ROLLCALL_TAG}e" "expr=${FOUND} && !(${isSentLarge})"`,
    "# Apache compares If-Range with this ETag.",
    `Header onsuccess set ETag "%{ROLLCALL_TAG}e" "expr=${isSentLarge}"`,
    "RequestHeader unset If-None-Match env=!ROLLCALL_FRESH",
    "RequestHeader set If-None-Match * env=ROLLCALL_FRESH",
    "",
    ...(base === ""
      ? []
      : [
          "# Separate the answers of listings of one name.",
          `<LocationMatch ${quoteApache(within(deployment))}>`,
          ...writeOwnAnswers(deployment, refusalUrl).map((line) => `  ${line}`),
          "</LocationMatch>",
          "",
        ]),
    `RewriteMap ${key} ${quoteApache(`txt:${included(TAGS)}`)}`,
    ...writeMethods(),
    ...only(deployment, writeRules(deployment)),
    "",
  ].join("\n");
}

/** The pattern of all paths of a site. */
function within({ base }: Deployment): string {
  return `^${literal(decodePath(base))}(?:/|$)`;
}

/** Skips rules for paths of other listings. */
function only(deployment: Deployment, rules: readonly string[]): string[] {
  if (deployment.base === "") return [...rules];
  const count = rules.filter((line) => line.startsWith("RewriteRule ")).length;
  return [`RewriteRule ${apacheWord(`!${within(deployment)}`)} - [S=${count}]`, ...rules];
}

function writeRules(deployment: Deployment): string[] {
  const { base, files, routes, families, page, folder, key } = deployment;
  const path: PathPattern = (text) => literal(decodePath(text));
  const others = [...files].filter(([, { "Content-Type": type }]) => type !== page["Content-Type"]);
  // An unquoted word, since quotes within quotes could not be escaped.
  const fileOf = (name: string) => `${folder.replace(/[\\$%\s]/g, "\\$&")}/${name}`;
  return [
    ...writeSpelling(base),
    ...writePageRules(deployment, path),
    `RewriteRule ${pagePattern(deployment, path)} - [E=ROLLCALL_FILE:${pageFile(deployment)}]`,
    ...[...routes].map(([route, name]) => `RewriteRule ${apacheWord(`^${path(route)}$`)} - [E=ROLLCALL_FILE:${name}]`),
    ...families.map(
      ({ folder, names }) =>
        `RewriteRule ${apacheWord(`^${path(`${base}/`)}(${folder}/${names})$`)} - [E=ROLLCALL_FILE:$1]`,
    ),
    `RewriteRule ^ - [E=ROLLCALL_TAG:$${`{${key}:%{ENV:ROLLCALL_FILE}}`}]`,
    'RewriteCond %{ENV:ROLLCALL_TAG} =""',
    `RewriteRule ^ - ${answer(404)}`,
    'RewriteCond "%{ENV:ROLLCALL_TAG} %{HTTP:If-None-Match}" "^(?:(\\x22\\w+\\x22) .*\\1|\\x22\\w+\\x22 [ \\t]*\\*[ \\t]*$)" [NV]',
    "RewriteRule ^ - [E=ROLLCALL_FRESH:1]",
    ...others.flatMap(([name, { "Content-Type": type }]) => [
      `RewriteCond %{ENV:ROLLCALL_FILE} =${name}`,
      `RewriteRule ^ ${fileOf(name)} ${apacheWord(`[T=${type},END]`)}`,
    ]),
    ...families.flatMap(({ folder, headers: { "Content-Type": type } }) => [
      `RewriteCond %{ENV:ROLLCALL_FILE} ^${folder}/`,
      `RewriteRule ^ ${fileOf("%{ENV:ROLLCALL_FILE}")} ${apacheWord(`[T=${type},END]`)}`,
    ]),
    `RewriteRule ^ ${fileOf("%{ENV:ROLLCALL_FILE}")} [T=${page["Content-Type"]},END]`,
  ];
}

/** Statuses for which Apache has an HTML page, and the contract's error that replaces it. */
const ERROR_PAGES: readonly [statuses: readonly number[], answer: ErrorStatus][] = [
  [[400, 401, 403, 411, 412, 421, 422, 426, 501, 505], 400],
  [[408], 408],
  [[413], 413],
  [[416], 416],
  [[417], 417],
  [[414, 431], 431],
  [[500, 502, 503, 504, 507], 500],
];

/** Headers removed from requests: Apache would compare them with times and sizes, which may not change with the bytes. */
const CONDITIONS = ["If-Modified-Since", "If-Unmodified-Since", "If-Match"];

/** Writes directives for headers, errors and redirects. @param refusal URL path of the body of a 405: for an inline text, Apache would send a second Allow. */
export function writeAnswers(rules: Rules, refusal: string): string[] {
  const { headers, preflight, error, encodings } = rules;
  return [
    ...ERROR_PAGES.flatMap(([statuses, answer]) =>
      statuses.map((status) => `ErrorDocument ${status} ${quoteApache(BODIES[answer])}`),
    ),
    refusalPage(refusal),
    ...writeRedirects(rules),
    `SetEnvIf Request_URI ^ ${quoteApache(`ROLLCALL_DETAIL=${ERROR_DETAILS[404]}`)}`,
    `ErrorDocument 404 ${quoteApache(errorBody("%{reqenv:ROLLCALL_DETAIL}"))}`,
    "",
    "# Headers that Apache sets itself are removed first.",
    ...["Allow", "Vary", "Last-Modified", "Content-Encoding"].map((name) => `Header onsuccess unset ${name}`),
    `Header onsuccess unset Accept-Ranges "expr=!(${isLarge(rules)})"`,
    ...set(headers),
    ...set(preflight, "%{REQUEST_STATUS} == '204'"),
    ...set(error, "%{REQUEST_STATUS} -ge 400"),
    ...writeFileHeaders(rules),
    ...encodings.flatMap((name) =>
      set({ "Content-Encoding": name }, `${endsIn(`\\.json\\${ENCODINGS[name]}`)} && ${FOUND}`),
    ),
    ...CONDITIONS.map((name) => `RequestHeader unset ${name}`),
    ...["Range", "If-Range"].map((name) => `RequestHeader unset ${name} "expr=!(${isLarge(rules)})"`),
    "# A part or a step is no coding of another file.",
    "<IfModule mod_mime.c>",
    "  RemoveEncoding .br .gz",
    "  # Nor is a page in Breton.",
    "  RemoveLanguage .br",
    "</IfModule>",
    "SetEnv no-gzip 1",
    "SetEnv no-brotli 1",
  ];
}

/** The answers that differ between two listings of one virtual host. */
function writeOwnAnswers(rules: Rules, refusal: string): string[] {
  return [refusalPage(refusal), ...writeRedirects(rules), ...set(rules.headers), ...writeFileHeaders(rules)];
}

function refusalPage(refusal: string): string {
  return `ErrorDocument 405 ${quoteApache(refusal)}`;
}

/**
 * Sets Location of redirects to a path. Apache's own Location has the client's Host, and can be replaced only if the body comes
 * from another request.
 */
function writeRedirects({ base, redirects }: Rules): string[] {
  return [
    `ErrorDocument 301 ${quoteApache(`${base.replaceAll("$", "%24")}/${SNAPSHOT}`)}`,
    ...[...redirects].map(
      ([bare, to]) =>
        `Header onsuccess set Location ${quoteApache(`${formatted(to)}%{REDIRECT_ROLLCALL_QUERY}e`)} "expr=%{REQUEST_STATUS} == '301' && reqenv('REDIRECT_ROLLCALL_MOVED') == '${redirectName(base, bare)}'"`,
    ),
  ];
}

/** Cache-Control, and headers of single files. Types are set by the rewrite rules. */
function writeFileHeaders({ page, files }: Rules): string[] {
  const caching = page["Cache-Control"];
  return [
    ...set({ "Cache-Control": caching }, "%{REQUEST_STATUS} -in {'200', '301', '304'}"),
    ...[...files].flatMap(([name, { "Content-Type": _, ...own }]) => {
      const others = Object.entries(own).filter(([header, value]) => header !== "Cache-Control" || value !== caching);
      return set(Object.fromEntries(others), `${endsIn(literal(`/${name}`))} && ${FOUND}`);
    }),
  ];
}

/** The condition for answers that have a file's headers. */
const FOUND = "%{REQUEST_STATUS} -in {'200', '304'}";

function endsIn(pattern: string): string {
  return `%{REQUEST_FILENAME} =~ m#${pattern}$#`;
}

/** The condition for large files, of which ranges are sent. */
function isLarge({ families }: Rules): string {
  return endsIn(`/${pathsOfLarge(families)}`);
}

function set(headers: Headers, condition?: string): string[] {
  const when = condition === undefined ? "" : ` "expr=${condition}"`;
  return Object.entries(headers).map(
    ([name, value]) => `Header always set ${name} ${quoteApache(formatted(value))}${when}`,
  );
}

/** Escapes a header value, in which Apache interprets percent signs and backslashes. */
function formatted(value: string): string {
  return value.replaceAll("\\", "\\\\").replaceAll("%", "%%");
}

/** Quotes a value of a directive. */
export function quoteApache(text: string): string {
  return `"${text.replace(/["\\]/g, "\\$&")}"`;
}

/** Makes the pattern of a path: of the whole URL path, or of the part below a .htaccess's folder. */
export type PathPattern = (path: string) => string;

/** Writes rules that answer methods other than GET and HEAD. */
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

/** Writes a rule that answers 404 for paths that Apache would normalise. */
export function writeSpelling(base: string): string[] {
  const request = `!^\\S+ (?:[A-Za-z]+://[^/?\\s]*)?${spelling(base, "\\s")}`;
  return [`RewriteCond %{THE_REQUEST} ${apacheWord(request)}`, `RewriteRule ^ - ${answer(404)}`];
}

/** Writes rules that redirect paths without their slash, and set ROLLCALL_PAGE and ROLLCALL_SUFFIX; the last match counts. */
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

/** The page's file, by ROLLCALL_PAGE and ROLLCALL_SUFFIX. */
export function pageFile({ pageFolder }: Rules): string {
  return `${pageFolder}/%{ENV:ROLLCALL_PAGE}.json%{ENV:ROLLCALL_SUFFIX}`;
}

/** The pattern of paths that `pageFile` answers. */
export function pagePattern({ listing }: Rules, path: PathPattern): string {
  return apacheWord(`^${path(listing)}(?:pages/${PAGE_NUMBER}\\.json)?$`);
}

/** Writes the rule that redirects a path without its slash. `writeRedirects` sets Location. */
export function redirectFrom(pattern: string, { base }: Rules, bare: string): string {
  return `RewriteRule ${apacheWord(pattern)} / [R=301,L,E=ROLLCALL_MOVED:${redirectName(base, bare)}]`;
}

/** The name of a redirect in flags, since its path could end a flag. */
function redirectName(base: string, bare: string): string {
  return bare === base ? "base" : "listing";
}

/** Flags that answer with a status. */
export function answer(status: ErrorStatus | 204): string {
  return `[R=${status},END]`;
}

/** Quotes a word of a rewrite rule. Quotes in it cannot be escaped, since backslashes belong to the pattern. */
export function apacheWord(text: string): string {
  return `"${text}"`;
}
