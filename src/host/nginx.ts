/** nginx: maps from requests to files of `dist/current`, and a server block that uses them. nginx opens a file once a request. */
import { ENCODINGS, type ErrorStatus, NO_CACHE } from "../core/contract/headers.js";
import { EXPLORER, VIEWS_FOLDER, WHOLE_FILES } from "../core/release/layout.js";
import { sha256 } from "../core/release/plain-files.js";
import { type HostedSite, plainPath } from "./hosted-site.js";
import { type HostKind, lines, ONCE, OWN_TAGS } from "./kind.js";
import { encodingPatterns, literal, QUERY } from "./patterns.js";
import {
  BODIES,
  decodePath,
  differing,
  EXPLORER_HEADERS,
  FILE_PATTERN,
  folderPattern,
  INVALID_PAGE_BODY,
  OTHER_TYPE,
  REVALIDATED_PATTERN,
  TYPES_BY_EXTENSION,
  VIEW_SEGMENTS,
  withPages,
} from "./rules.js";

export const nginx: HostKind = {
  name: "nginx",
  title: "nginx",
  query: "map",
  compression: "files",
  tested: "nginx of Debian",
  unmetChecks: {
    ...OWN_TAGS,
    "if-match": "It answers 400, which no directive changes",
    "part-beyond": "Its 416 has the file's Cache-Control",
  },
  steps: [],
  site: [
    {
      path: "rollcall.conf",
      what: "nginx, as the host",
      instructions: `Put it into /etc/nginx/conf.d; then nginx -s reload. ${ONCE}`,
      text: writeSite,
    },
  ],
};

/** Statuses for which nginx has an HTML page, and the contract's error that replaces it. */
const ERROR_PAGES: readonly [statuses: string, answer: ErrorStatus][] = [
  ["403 404", 404],
  ["400 401 402 406 409 411 412 415 421 429 495 496 497", 400],
  ["405", 405],
  ["408", 408],
  ["413", 413],
  ["416", 416],
  ["414 494", 431],
  ["500 501 502 503 504 505 507", 500],
];

function writeSite({ rules, baseUrl, serverName, address, port, ...site }: HostedSite): string {
  const { parts, encodings, last } = rules;
  const { base, headers, preflight, page, moved, error } = last;
  const paged = withPages(rules);
  const folders = folderPattern(rules);
  const redirects = parts.flatMap((part) => [...part.rules.redirects]);
  // Variables are global in nginx, and other sites may have theirs. For long names, nginx warns of its hash table.
  const key = `rc${sha256(baseUrl).slice(0, 6)}`;
  const dollar = `\${${key}_dollar}`;
  const quote = (text: string) => quoted(text).replaceAll("$", () => dollar);
  const path = (text: string) => literal(decodePath(text));
  const map = (source: string, to: string, otherwise: string, rows: readonly (readonly [string, string])[]) => [
    `map ${source} $${key}_${to} {`,
    `  default ${otherwise};`,
    ...rows.map(([from, value]) => `  ${from} ${value};`),
    "}",
  ];
  const current = quote(`${plainPath(site.dist)}/current`).slice(0, -1);
  const addresses = address === undefined ? ["", "[::]:"] : [`${address}:`];
  const packed = last.families.filter(({ hasRanges }) => hasRanges).map(({ folder }) => folder);
  const others = differing(rules);
  const varied = new Set(others.flatMap((other) => Object.keys(other.headers)));
  const text = lines(
    "# The page of the query; a page 0 never exists. $arg_page would ignore case.",
    ...map("$args", "page", "1", [
      [pattern(QUERY.page.replace("=(", `=(?<${key}_number>`)), `$${key}_number`],
      [pattern(QUERY.other), "0"],
    ]),
    "# The coding of the page.",
    ...map(
      "$http_accept_encoding",
      "suffix",
      '""',
      encodingPatterns(encodings).map((each) => [pattern(each.pattern, "~*"), each.suffix] as const),
    ),
    "# The file in the release, if it exists. All rows are patterns: nginx refuses other long keys.",
    ...map("$uri", "file", '""', [
      ...paged.flatMap(({ pageFolder, rules: { listing, pages } }) => [
        [pattern(`^${path(listing)}$`), `"${pageFolder}/$${key}_page.json"`] as const,
        [pattern(`^${path(pages)}(?<${key}_name>[^/]*\\.json)$`), `"${pageFolder}/$${key}_name"`] as const,
      ]),
      ...parts.flatMap(({ folder, rules: { base, routes } }) => [
        ...[...routes]
          .filter(([route, name]) => route !== `${base}/${name}`)
          .map(([route, name]) => [pattern(`^${path(route)}$`), quoted(folder + name)] as const),
        [pattern(`^${path(`${base}/`)}(?<${key}_path>${FILE_PATTERN})$`), `${folder}$${key}_path`] as const,
      ]),
      // A view without values has one segment. Whether the file exists decides.
      ...paged.flatMap(({ folder, rules: { views } }) => [
        [
          pattern(`^${path(views)}(?<${key}_view>${VIEW_SEGMENTS})$`),
          `"${folder}${VIEWS_FOLDER}/\${${key}_view}pages/$${key}_page.json"`,
        ] as const,
        [
          pattern(`^${path(views)}(?<${key}_viewpage>${VIEW_SEGMENTS}pages/[^/]*\\.json)$`),
          `"${folder}${VIEWS_FOLDER}/$${key}_viewpage"`,
        ] as const,
      ]),
    ]),
    ...map(
      '"$status $uri"',
      "coding",
      '""',
      encodings.map((name) => [pattern(`^(?:200|304) /\\.rollcall/.*\\.json\\${ENCODINGS[name]}$`), name] as const),
    ),
    ...map(`"$status $${key}_file"`, "cache", quote(error["Cache-Control"]), [
      ["~^204", '""'],
      ["~^301", quote(moved["Cache-Control"])],
      [pattern(`^(?:200|206|304) ${folders}${REVALIDATED_PATTERN}$`), NO_CACHE],
      ['"~^(?:200|206|304) "', quote(page["Cache-Control"])],
    ]),
    ...Object.entries(EXPLORER_HEADERS).flatMap(([name, value]) =>
      map(`"$status $${key}_file"`, variable(name), '""', [
        [pattern(`^(?:200|304) ${folders}${EXPLORER}$`), quote(value)],
      ]),
    ),
    ...Object.entries(preflight).flatMap(([name, value]) =>
      map("$status", variable(name), '""', [["204", quote(value)]]),
    ),
    ...map(
      `$${key}_file`,
      "missing",
      quote(BODIES[404]),
      paged.flatMap(({ folder, pageFolder }) =>
        [`^${literal(pageFolder)}/`, `^${literal(`${folder}${VIEWS_FOLDER}/`)}.+/pages/`].map(
          (of) => [pattern(of), quote(INVALID_PAGE_BODY)] as const,
        ),
      ),
    ),
    ...[...varied].flatMap((name) =>
      // Errors lead to other paths, but the target stays as it was sent.
      map(
        "$request_uri",
        variable(name),
        quote(headers[name] ?? ""),
        others.map(
          (other) => [pattern(`^${literal(other.base)}(?:[/?]|$)`), quote(other.headers[name] ?? "")] as const,
        ),
      ),
    ),
    "",
    "server {",
    ...addresses.map((before) => `  listen ${before}${port ?? 80};`),
    `  server_name ${quoted(serverName)};`,
    "",
    ...Object.entries(headers).map(([name, value]) => {
      const sent = varied.has(name) ? `$${key}_${variable(name)}` : quote(value);
      return `  add_header ${name} ${sent} always;`;
    }),
    ...[...Object.keys(preflight), ...Object.keys(EXPLORER_HEADERS)].map(
      (name) => `  add_header ${name} $${key}_${variable(name)};`,
    ),
    `  add_header Cache-Control $${key}_cache always;`,
    `  add_header Content-Encoding $${key}_coding;`,
    "  # ETags are made of time and size. A file's times only grow.",
    '  add_header Last-Modified "";',
    "  etag on;",
    "  if_modified_since off;",
    "  max_ranges 0;",
    "  # Against http { }: codings would weaken ETags, and a cache of open files would be late.",
    "  gzip off;",
    "  gzip_static off;",
    "  open_file_cache off;",
    "  disable_symlinks off;",
    "  absolute_redirect off;",
    "  # A large POST is 405, too.",
    "  client_max_body_size 0;",
    "  # `return` sends the type of the URL's ending.",
    "  types {}",
    `  default_type ${page["Content-Type"]};`,
    "  # TRACE is refused outside of locations. Named locations would be 500 for unreadable requests.",
    ...ERROR_PAGES.map(([statuses, answer]) => `  error_page ${statuses} =${answer} /.rollcall-${answer};`),
    ...Object.entries(BODIES).map(([status, body]) => {
      const answer = status === "404" ? `$${key}_missing` : quote(body);
      // The headers of the file are set before; an empty one keeps them from being added again.
      const own = status === "416" ? 'add_header Allow ""; ' : "";
      return `  location = /.rollcall-${status} { internal; ${own}return ${status} ${answer}; }`;
    }),
    "",
    `  location ${base === "" ? "/" : `~ ${pattern(`^${path(base)}(?:/|$)`, "")}`} {`,
    "    if ($request_method = OPTIONS) { return 204; }",
    "    if ($request_method !~ ^(?:GET|HEAD)$) { return 405; }",
    ...redirects.map(
      ([bare, to]) =>
        `    if ($uri ~ ${pattern(`^${path(bare)}$`, "")}) { return 301 ${quote(to).slice(0, -1)}$is_args$args"; }`,
    ),
    `    if ($${key}_file = "") { return 404; }`,
    "    # Only pages have codings, and a release may have been built without them.",
    `    if (-f ${current}/$${key}_file$${key}_suffix") { rewrite ^ /.rollcall/$${key}_file$${key}_suffix last; }`,
    `    rewrite ^ /.rollcall/$${key}_file last;`,
    "  }",
    "  location ^~ /.rollcall/ {",
    "    internal;",
    `    alias ${current}/";`,
    `    types { ${[...TYPES_BY_EXTENSION].map(([extension, type]) => `"${type}" ${extension};`).join(" ")} }`,
    `    default_type "${OTHER_TYPE}";`,
    "    # .json, .json.br and .json.gz",
    ...paged.flatMap(({ folder, pageFolder }) => [
      `    location ^~ "/.rollcall/${pageFolder}/" { alias ${current}/${pageFolder}/"; types {} default_type ${page["Content-Type"]}; }`,
      `    location ~ ${pattern(`^/\\.rollcall/(?<${key}_paged>${literal(`${folder}${VIEWS_FOLDER}/`)}.+/pages/[^/]+)$`, "")} { alias ${current}/$${key}_paged"; types {} default_type ${page["Content-Type"]}; }`,
      ...packed.map(
        (name) => `    location ^~ /.rollcall/${folder}${name}/ { alias ${current}/${folder}${name}/"; max_ranges 1; }`,
      ),
      ...WHOLE_FILES.map(
        (name) => `    location = /.rollcall/${folder}${name} { alias ${current}/${folder}${name}"; max_ranges 1; }`,
      ),
    ]),
    "  }",
    ...(base === "" ? [] : ["  location / { return 404; }"]),
    "}",
  );
  if (!text.includes(dollar)) return text;
  return `# A dollar sign, for which nginx has no escape.\ngeo $${key}_dollar { default "$"; }\n${text}`;
}

/** The part of a header's variable that names the header: its last word. */
function variable(header: string): string {
  return header.toLowerCase().replace(/.*-/, "");
}

function pattern(text: string, kind: "~" | "~*" | "" = "~"): string {
  return quoted(`${kind}${text}`);
}

/** Quotes a value in which nginx interprets no variables. */
function quoted(text: string): string {
  return `"${text.replace(/["\\]/g, "\\$&")}"`;
}
