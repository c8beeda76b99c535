/** Apache httpd 2.4: a virtual host whose rewrite rules lead to files of the current release, or a .htaccess in the published folder. */
import {
  ENCODINGS,
  type Encoding,
  ERROR_DETAILS,
  type ErrorStatus,
  errorBody,
  INVALID_PAGE,
  NO_CACHE,
} from "../core/contract/headers.js";
import { CURRENT, EXPLORER, RELEASE_NAME, RELEASES } from "../core/release/layout.js";
import { type HostedSite, plainPath } from "./hosted-site.js";
import { type HostKind, indent, lines, ONCE, OWN_TAGS } from "./kind.js";
import { encodingPatterns, literal, PAGE_NUMBER, QUERY } from "./patterns.js";
import {
  BODIES,
  decodePath,
  differing,
  EXPLORER_HEADERS,
  FILE_PATTERN,
  type Headers,
  OTHER_TYPE,
  RANGED_PATTERN,
  REVALIDATED_PATTERN,
  type Rules,
  type Section,
  type SiteRules,
  TYPES_BY_EXTENSION,
  withPages,
} from "./rules.js";

const REFUSAL_FILE = "rollcall-405.json";
/** A path that no release has. */
const REFUSAL_PATH = "/.rollcall/405";

export const apache: HostKind = {
  name: "apache",
  title: "Apache httpd",
  query: "mod_rewrite",
  compression: "files",
  tested: "Apache of Debian",
  unmetChecks: OWN_TAGS,
  steps: ["a2enmod rewrite headers"],
  site: [
    {
      path: "rollcall.conf",
      what: "Apache, as the virtual host",
      instructions: `Put it into /etc/apache2/sites-available; then a2ensite rollcall and reload Apache. ${ONCE}`,
      text: writeSite,
    },
    { path: REFUSAL_FILE, instructions: "The body of a 405, for rollcall.conf.", text: () => BODIES[405] },
  ],
};

function writeSite({ rules, serverName, address, port = 80, ...site }: HostedSite): string {
  const dist = plainPath(site.dist);
  const releases = `${dist}/${RELEASES}`;
  const whole: PathPattern = (text) => literal(decodePath(text));
  const release = `${releases}/%{ENV:ROLLCALL_RELEASE}`;
  return lines(
    ...(port === 80
      ? []
      : ["# Remove this if the server has it already.", `Listen ${address === undefined ? "" : `${address}:`}${port}`]),
    `<VirtualHost ${address ?? "*"}:${port}>`,
    // ServerName does not accept IPv6 addresses.
    `  ${serverName.startsWith("[") ? "ServerAlias" : "ServerName"} ${quoteApache(serverName)}`,
    `  DocumentRoot ${quoteApache(`${dist}/${CURRENT}`)}`,
    "",
    `  <Directory ${quoteApache(releases)}>`,
    "    Options None",
    "    # A .htaccess in a release is for other hosts.",
    "    AllowOverride None",
    "    Require all granted",
    ...indent(writeTypes(), "    "),
    "  </Directory>",
    "  # With an inline text, Apache sends a second Allow. Debian denies files by <Directory />.",
    `  Alias ${REFUSAL_PATH} ${quoteApache(`${plainPath(site.folder)}/${REFUSAL_FILE}`)}`,
    `  <Location ${REFUSAL_PATH}>`,
    "    Require all granted",
    "  </Location>",
    "  AllowEncodedSlashes NoDecode",
    "  TraceEnable off",
    "  MaxRanges 1",
    "",
    // In a virtual host, these patterns match the path as it was sent.
    ...indent(writeAnswers(rules, REFUSAL_PATH, ({ listing }) => `^${literal(listing)}(?:pages/[^/]*\\.json)?$`)),
    "",
    ...indent(writeMethods()),
    ...redirectsOf(rules).map(([bare, to]) => `  ${redirectFrom(`^${whole(bare)}$`, rules, to)}`),
    "  # Apache looks a path up twice: for its size, and to open it. Through a link that moves in between, it would mix two releases.",
    "  # So the link is followed once a request: each release names its folder.",
    `  RewriteCond expr "file('${dist}/${CURRENT}/${RELEASE_NAME}') =~ /^([0-9A-Za-z-]+)/"`,
    "  RewriteRule ^ - [E=ROLLCALL_RELEASE:%1]",
    "  # A substitution that began with a variable would be below DocumentRoot.",
    ...indent(
      writeRules(rules, {
        path: whole,
        fileOf: (name) => `"${release}/${name}"`,
        test: (name) => `"${release}/${name}"`,
      }),
    ),
    "</VirtualHost>",
  );
}

/** Types and ETags of the files of a release. */
function writeTypes(): string[] {
  return [
    "# A file's times only grow.",
    "FileETag MTime Size",
    "AddDefaultCharset Off",
    "# .gz is no coding of another file, and .br is not Breton.",
    "RemoveEncoding .br .gz",
    "RemoveLanguage .br",
    ...[...TYPES_BY_EXTENSION].map(([extension, type]) => `AddType ${quoteApache(type)} .${extension}`),
    `AddType ${quoteApache(OTHER_TYPE)} .txt .minisig`,
    "<Files SHA256SUMS>",
    `  ForceType ${quoteApache(OTHER_TYPE)}`,
    "</Files>",
    "# A .htaccess loses the flag T of a rule.",
    '<FilesMatch "\\.json(?:\\.br|\\.gz)?$">',
    `  ForceType ${TYPES_BY_EXTENSION.get("json")}`,
    "</FilesMatch>",
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

/** Makes the pattern of a URL path: of the whole path, or of the part below a .htaccess's folder. */
type PathPattern = (path: string) => string;

/**
 * Writes directives for headers and errors.
 * @param refusal URL path of the body of a 405.
 * @param pagesOf makes the pattern of a listing's URL paths whose 404 is of a page.
 */
function writeAnswers(site: SiteRules, refusal: string, pagesOf: (rules: Rules) => string): string[] {
  const { encodings, last } = site;
  const { headers, preflight, page, error } = last;
  return [
    "SetEnv no-gzip 1",
    "SetEnv no-brotli 1",
    ...ERROR_PAGES.flatMap(([statuses, answer]) =>
      statuses.map((status) => `ErrorDocument ${status} ${quoteApache(BODIES[answer])}`),
    ),
    `ErrorDocument 405 ${quoteApache(refusal)}`,
    `ErrorDocument 404 ${quoteApache(errorBody("%{reqenv:ROLLCALL_DETAIL}"))}`,
    `SetEnvIf Request_URI ^ ${quoteApache(`ROLLCALL_DETAIL=${ERROR_DETAILS[404]}`)}`,
    ...withPages(site).map(
      ({ rules }) =>
        `SetEnvIf Request_URI ${quoteApache(pagesOf(rules))} ${quoteApache(`ROLLCALL_DETAIL=${INVALID_PAGE}`)}`,
    ),
    "# Apache sends two tables of headers; its own are removed first.",
    ...["Allow", "Vary", "Last-Modified"].map((name) => `Header onsuccess unset ${name}`),
    "# ETags are weak while a file is younger than a second, or dated in the future.",
    'Header onsuccess edit ETag ^W/ ""',
    'Header onsuccess unset ETag "expr=%{REQUEST_STATUS} -ge 400"',
    ...set(headers),
    ...differing(site).flatMap((part) => set(part.headers, isAskedBelow(part.base))),
    ...set(preflight, "%{REQUEST_STATUS} == '204'"),
    ...set(error, "%{REQUEST_STATUS} -ge 400"),
    ...set({ "Cache-Control": page["Cache-Control"] }, "%{REQUEST_STATUS} -in {'200', '206', '301', '304'}"),
    ...set({ "Cache-Control": NO_CACHE }, `${FOUND} && ${isFile(REVALIDATED_PATTERN)}`),
    ...set(EXPLORER_HEADERS, `${FOUND} && ${isFile(EXPLORER)}`),
    ...encodings.flatMap((name) =>
      set({ "Content-Encoding": name }, `${FOUND} && ${isFile(`[^/]*\\.json\\${ENCODINGS[name]}`)}`),
    ),
    "# Only If-None-Match is compared.",
    ...["If-Modified-Since", "If-Unmodified-Since", "If-Match"].map((name) => `RequestHeader unset ${name}`),
    "# Ranges are of packed files.",
    `RequestHeader unset Range "expr=!(${isFile(RANGED_PATTERN)})"`,
    `Header onsuccess unset Accept-Ranges "expr=!(${isFile(RANGED_PATTERN)})"`,
  ];
}

/** The condition for answers that have a file's headers. */
const FOUND = "%{REQUEST_STATUS} -in {'200', '206', '304'}";

/** The condition for files of a release. @param names a pattern of their paths */
function isFile(names: string): string {
  return `%{REQUEST_FILENAME} =~ m#/${names}$#`;
}

/** The condition for a request whose target, as it was sent, is in a part. */
function isAskedBelow(base: string): string {
  return `%{THE_REQUEST} =~ m#^[^ ]+ (?:https?://[^/ ]*)?${literal(base)}[/? ]#`;
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

/** Writes rules that answer methods other than GET and HEAD. */
function writeMethods(): string[] {
  return [
    "RewriteEngine On",
    "# The body of an error is not a request.",
    "RewriteCond %{ENV:REDIRECT_STATUS} ^[45]",
    "RewriteRule ^ - [END]",
    "RewriteCond %{REQUEST_METHOD} =OPTIONS",
    "RewriteRule ^ - [R=204,END]",
    "RewriteCond %{REQUEST_METHOD} !^(?:GET|HEAD)$",
    "RewriteRule ^ - [R=405,END]",
  ];
}

/** The redirects of all parts. */
function redirectsOf({ parts }: SiteRules): [bare: string, to: string][] {
  return parts.flatMap(({ rules }) => [...rules.redirects]);
}

/** Writes the rule that redirects a path without its slash. The target is absolute: Apache would complete it by the client's Host. */
function redirectFrom(pattern: string, { last: { origin } }: SiteRules, to: string): string {
  return `RewriteRule "${pattern}" "${origin}${to.replace(/[\\$%]/g, "\\$&")}" [R=301,NE,END]`;
}

interface Naming {
  path: PathPattern;
  /** Quotes the substitution for a file of the release. */
  fileOf(name: string): string;
  /** Quotes the path of a file of the release, for a condition. Undefined if all pages have all codings. */
  test?(name: string): string;
}

/** Writes rules that lead from a path to a file of the release; anything else is 404. */
function writeRules(site: SiteRules, naming: Naming): string[] {
  const rules = site.parts.flatMap((part) => {
    const own = [...(part.hasPages ? rulesOfPages(part, site.encodings, naming) : []), ...rulesOfFiles(part, naming)];
    if (part.rules === site.last) return own;
    const count = own.filter((line) => line.startsWith("RewriteRule ")).length;
    // Other paths skip the rules of this listing.
    return [`RewriteRule "!^${naming.path(part.rules.base)}(?:/|$)" - [S=${count}]`, ...own];
  });
  return [...rules, "RewriteRule ^ - [R=404,END]"];
}

function rulesOfPages(
  { folder, rules }: Section,
  encodings: readonly Encoding[],
  { path, fileOf, test }: Naming,
): string[] {
  const { listing, pages } = rules;
  const pageFolder = folder + rules.pageFolder;
  const page = (pattern: string, to: string) => [
    `RewriteCond %{QUERY_STRING} ${pattern}`,
    `RewriteRule "^${path(listing)}$" - [E=ROLLCALL_PAGE:${to}]`,
  ];
  const file = fileOf(`${pageFolder}/%{ENV:ROLLCALL_PAGE}.json%{ENV:ROLLCALL_SUFFIX}`);
  return [
    "# The page; a page 0 never exists. The last match counts.",
    `RewriteRule "^${path(pages)}" - [E=ROLLCALL_PAGE:0]`,
    `RewriteRule "^${path(pages)}(${PAGE_NUMBER})\\.json$" - [E=ROLLCALL_PAGE:$1]`,
    `RewriteRule "^${path(listing)}$" - [E=ROLLCALL_PAGE:1]`,
    ...page(QUERY.other, "0"),
    ...page(QUERY.page, "%1"),
    ...(test ? ["# A release may have been built without codings."] : []),
    ...encodingPatterns(encodings)
      .reverse()
      .flatMap(({ pattern, suffix }) => [
        `RewriteCond %{HTTP:Accept-Encoding} "${pattern}" [NC,NV]`,
        ...(test ? [`RewriteCond ${test(`${pageFolder}/1.json${suffix}`)} -f`] : []),
        `RewriteRule ^ - [E=ROLLCALL_SUFFIX:${suffix}]`,
      ]),
    `RewriteRule "^${path(listing)}(?:pages/[^/]*\\.json)?$" ${file} [END]`,
  ];
}

function rulesOfFiles({ folder, rules: { base, routes } }: Section, { path, fileOf }: Naming): string[] {
  return [
    ...[...routes]
      .filter(([route, name]) => route !== `${base}/${name}`)
      .map(([route, name]) => `RewriteRule "^${path(route)}$" ${fileOf(folder + name)} [END]`),
    `RewriteRule "^${path(`${base}/`)}(${FILE_PATTERN})$" ${fileOf(`${folder}$1`)} [END]`,
  ];
}

/** The body of a 405 is a file: for an inline text, Apache would send a second Allow. */
const FOLDER_REFUSAL = "405.json";

export const htaccess: HostKind = {
  name: "htaccess",
  title: "Apache .htaccess",
  query: "mod_rewrite",
  compression: "files",
  tested: "Apache of Debian, as a folder of a site",
  unmetChecks: OWN_TAGS,
  steps: ["build --adapt htaccess"],
  inRelease: [
    {
      path: ".htaccess",
      what: "Apache, as the folder",
      instructions:
        "Goes into the published folder, which needs AllowOverride All. Only the server can say TraceEnable off.",
      text: writeHtaccess,
    },
    { path: FOLDER_REFUSAL, instructions: "The body of a 405, beside .htaccess.", text: () => BODIES[405] },
  ],
};

function writeHtaccess(rules: SiteRules): string {
  const { base } = rules.last;
  const whole = (text: string) => literal(decodePath(text));
  const below = (text: string) => whole(text.slice(base.length + 1));
  // Apache would read $1 as a back-reference.
  const refusal = `${base.replaceAll("$", "%24")}/${FOLDER_REFUSAL}`;
  return lines(
    "Options -MultiViews +SymLinksIfOwnerMatch",
    "DirectoryIndex disabled",
    "DirectorySlash Off",
    ...writeTypes(),
    "",
    // Apache looks at these patterns again after a page has been rewritten.
    ...writeAnswers(rules, refusal, ({ listing }) => `^${whole(listing)}(?:pages/[^/]*\\.json(?:\\.br|\\.gz)?)?$`),
    "",
    `RewriteBase ${quoteApache(`${base}/`)}`,
    ...writeMethods(),
    "# For the path of this folder without its slash.",
    "RewriteOptions AllowNoSlash",
    ...redirectsOf(rules).flatMap(([bare, to]) => [
      `RewriteCond %{REQUEST_URI} "^${whole(bare)}$"`,
      redirectFrom("^", rules, to),
    ]),
    ...writeRules(rules, { path: below, fileOf: (name) => `"${name}"` }),
  );
}
