/** nginx: maps from requests to files and ETags, and a location that uses them. */
import { ENCODINGS, type ErrorStatus } from "../contract/headers.js";
import { isPacked } from "../release/layout.js";
import { type Deployment, type HostedSite, tagsOf } from "./deployment.js";
import type { Host } from "./host.js";
import { DIGITS, encodingPatterns, literal, PAGE_NUMBER, PATTERN_LIMITATIONS, QUERY, spelling } from "./patterns.js";
import { BODIES, decodePath, INVALID_PAGE_BODY, type Rules } from "./rules.js";

const MAPS = "nginx.conf";
const RULES = "nginx-server.conf";

export const nginx: Host = {
  name: "nginx",
  title: "nginx",
  query: "map",
  compression: "files",
  tested: "nginx of Debian",
  limitations: PATTERN_LIMITATIONS,
  steps: ["Needs no optional modules."],
  site: (site) => [
    {
      path: "rollcall.conf",
      what: "nginx, as the host",
      instructions:
        "Put it into http { }, as /etc/nginx/conf.d/rollcall.conf. You can edit it: Rollcall does not overwrite it.\n" +
        "After each build, and after rollcall use: nginx -t && nginx -s reload.",
      text: writeSite(site),
    },
    {
      path: "rollcall-maps.conf",
      what: "nginx, in http { }: sizes of its hash tables",
      instructions:
        "Put it before rollcall.conf, once for all listings: without it nginx warns that its hash tables are too small.\n" +
        "Remove lines that http { } has already.",
      text: [
        ...["map_hash_max_size 1048576;", "map_hash_bucket_size 256;"],
        ...["variables_hash_max_size 4096;", "variables_hash_bucket_size 128;", ""],
      ].join("\n"),
    },
  ],
  included: (deployment) => [
    {
      path: MAPS,
      what: "nginx, in http { }: the maps",
      instructions: "Included by the site's file.",
      text: [...maps(deployment), ...tagMap(deployment)].join("\n"),
    },
    {
      path: RULES,
      what: "nginx, in server { }: the rules",
      instructions: `Included by the site's file. It uses the maps of ${MAPS}.`,
      text: rules(deployment).join("\n"),
    },
  ],
};

function writeSite({ base, serverName, address, port, included }: HostedSite): string {
  const on = (number: number, rest = "") =>
    address === undefined
      ? [`listen ${number}${rest};`, `listen [::]:${number}${rest};`]
      : [`listen ${address}:${number}${rest};`];
  // In an include, these characters are a pattern.
  const file = (name: string) => nginxWord(included(name).replace(/[*?[\\]/g, "\\$&"));
  return [
    `include ${file(MAPS)};`,
    "",
    "server {",
    ...on(port ?? 80).map((line) => `  ${line}`),
    `  server_name ${nginxWord(serverName)};`,
    "",
    "  # For https, a certificate and these lines:",
    ...on(443, " ssl").map((line) => `  # ${line}`),
    `  # ssl_certificate /etc/letsencrypt/live/${serverName}/fullchain.pem;`,
    `  # ssl_certificate_key /etc/letsencrypt/live/${serverName}/privkey.pem;`,
    "",
    "  server_tokens off;",
    "  # Do not merge repeated slashes.",
    "  merge_slashes off;",
    ...(base === ""
      ? []
      : [
          "  # Add other listings of this name, each with its two include lines, and other locations here.",
          "  location / { return 404; }",
        ]),
    `  include ${file(RULES)};`,
    "}",
    "",
  ].join("\n");
}

/** Statuses for which nginx has an HTML page, and the contract's error that replaces it. */
const ERROR_PAGES: readonly [statuses: string, answer: ErrorStatus][] = [
  ["400 401 402 406 409 411 412 415 421 429 495 496 497", 400],
  ["405", 405],
  ["408", 408],
  ["413", 413],
  ["416", 416],
  ["414 494", 431],
  ["500 501 502 503 504 505 507", 500],
];

function rules(deployment: Deployment): string[] {
  const { key, base, folder, page, pageFolder, files, families, redirects } = deployment;
  const name = nameOfPages(deployment);
  const internal = `/.${key}`;
  const errors = (answers: typeof ERROR_PAGES) =>
    answers.map(([statuses, answer]) => `error_page ${statuses} =${answer} ${internal}/${answer};`);
  const file = `${internal}/files/$${key}_file`;
  const others = [...files].filter(([, { "Content-Type": type }]) => type !== page["Content-Type"]);
  const area = base === "" ? "/" : `~ ${nginxPattern(`^${literal(decodePath(base))}(?:/|$)`, "")}`;
  return [
    "# Errors of nginx, and of paths that nothing else in this server answers.",
    ...errors([["403 404", 404], ...ERROR_PAGES]),
    ...nginxBlock(`location ${area}`, [
      ...answers(deployment),
      ...errors(ERROR_PAGES),
      "# `return 304` would send Content-Length: 0, so the file is opened and its status replaced.",
      `error_page 418 =304 @${key}_fresh;`,
      "if ($request_method = OPTIONS) { return 204; }",
      `if ($request_method !~ ^(?:GET|HEAD)$) { return 405 ${quoteNginx(BODIES[405], key)}; }`,
      "# Refuse paths that nginx would normalise.",
      `if ($request_uri !~ ${nginxPattern(`^${spelling(base)}`, "")}) { return 404 ${quoteNginx(BODIES[404], key)}; }`,
      ...[...redirects].map(
        ([bare, to]) =>
          `if ($uri ~ ${nginxPattern(`^${literal(decodePath(bare))}$`, "")}) { return 301 ${quoteNginx(to, key).slice(0, -1)}$is_args$args"; }`,
      ),
      `if ($${key}_tag = "") { return 404 $${key}_missing; }`,
      `if ($${key}_fresh) { return 418; }`,
      `rewrite ^ ${file} last;`,
    ]),
    `location @${key}_fresh { rewrite ^ ${file} last; }`,
    ...nginxBlock(`location ^~ ${internal}/`, [
      "internal;",
      ...answers(deployment),
      `error_page 404 =404 ${internal}/404;`,
      ...Object.entries(BODIES).map(
        ([status, body]) =>
          // The headers of the file are set before; an empty one keeps them from being added again.
          `location = ${internal}/${status} { ${status === "416" ? 'add_header Allow ""; ' : ""}return ${status} ${quoteNginx(body, key)}; }`,
      ),
      ...nginxBlock(`location ${internal}/files/`, [
        `alias ${quoteNginx(`${folder}/`, key)};`,
        ...errors([["403 404", 500], ...ERROR_PAGES]),
        ...(name === pageFolder
          ? []
          : [`location ${internal}/files/${name}/ { alias ${quoteNginx(`${folder}/${pageFolder}/`, key)}; }`]),
        ...families.flatMap(({ folder: name, headers, hasRanges }) =>
          nginxBlock(`location ${internal}/files/${name}/`, [
            `alias ${quoteNginx(`${folder}/${name}/`, key)};`,
            `default_type ${quoteNginx(headers["Content-Type"], key)};`,
            ...(hasRanges ? ["max_ranges 1;"] : []),
          ]),
        ),
        ...others.map(
          ([name, { "Content-Type": type }]) =>
            `location ${nginxWord(`${internal}/files/${name}`)} { alias ${quoteNginx(`${folder}/${name}`, key)}; default_type ${quoteNginx(type, key)};${isPacked(name) ? " max_ranges 1;" : ""} }`,
        ),
      ]),
    ]),
    "",
  ];
}

/** Headers and settings of every answer. */
function answers(deployment: Deployment): string[] {
  const { key, headers, preflight, page } = deployment;
  const others = [...Object.keys(preflight), ...furtherHeaders(deployment).keys()];
  return [
    ...Object.entries(headers).map(([name, value]) => `add_header ${name} ${quoteNginx(value, key)} always;`),
    ...others.map((name) => `add_header ${name} $${headerVariable(name, key)};`),
    `add_header Cache-Control $${key}_cache always;`,
    `add_header ETag $${key}_etag;`,
    `add_header Content-Encoding $${key}_coding;`,
    "# Compare only ETags: bytes can change without their time and size.",
    'add_header Last-Modified "";',
    "etag off;",
    "if_modified_since off;",
    "max_ranges 0;",
    "gzip off;",
    "gzip_static off;",
    "absolute_redirect off;",
    "client_max_body_size 0;",
    "types {}",
    `default_type ${quoteNginx(page["Content-Type"], key)};`,
  ];
}

/** Maps from requests to files of the release and their headers. */
function maps(deployment: Deployment): string[] {
  const { key, base, listing, pages, encodings, files, routes, families, page, error, moved, preflight } = deployment;
  const path = (text: string) => literal(decodePath(text));
  const file = (name: string) => `"${nameOfPages(deployment)}/${name}.json$${key}_suffix"`;
  const empty = '""';
  const text = (value: string) => quoteNginx(value, key);
  const cachings = [...files].filter(([, { "Cache-Control": caching }]) => caching !== page["Cache-Control"]);
  return [
    "# A dollar sign, for which nginx has no escape.",
    `geo $${key}_dollar { default "$"; }`,
    "",
    "# The page of the query; empty if it is invalid.",
    ...nginxMap("$args", `${key}_page`, "1", [
      [nginxPattern(QUERY.twice), empty],
      [nginxPattern(QUERY.page), DIGITS.map((group) => `$${group}`).join("")],
      [nginxPattern(QUERY.empty), "1"],
      [nginxPattern(QUERY.other), empty],
    ]),
    ...nginxMap("$http_accept_encoding", `${key}_suffix`, empty, [
      ...encodingPatterns(encodings).map((each) => [nginxPattern(each.pattern, "~*"), text(each.suffix)] as const),
    ]),
    "# The path of the requested file in the release, whether it exists or not.",
    ...nginxMap("$uri", `${key}_file`, empty, [
      [nginxPattern(`^${path(listing)}$`), file(`$${key}_page`)],
      [nginxPattern(`^${path(pages)}(?<${key}_number>${PAGE_NUMBER})\\.json$`), file(`$${key}_number`)],
      ...[...routes].map(([route, name]) => [nginxPattern(`^${path(route)}$`), text(name)] as const),
      ...families.map(({ folder, names }, at) => {
        const group = `${key}_family${at}`;
        return [nginxPattern(`^${path(`${base}/`)}(?<${group}>${folder}/${names})$`), `$${group}`] as const;
      }),
    ]),
    ...nginxMap("$uri", `${key}_missing`, text(BODIES[404]), [
      [nginxPattern(`^${path(listing)}(?:pages/[^/]*\\.json)?$`), text(INVALID_PAGE_BODY)],
    ]),
    "# 1 if the client already has these bytes.",
    ...nginxMap(`"$${key}_tag $http_if_none_match"`, `${key}_fresh`, "0", [
      [nginxPattern('^("\\w+") .*\\1'), "1"],
      [nginxPattern('^"\\w+" [ \\t]*\\*[ \\t]*$'), "1"],
    ]),
    ...nginxMap(
      "$status",
      `${key}_etag`,
      empty,
      [200, 304].map((status) => [`${status}`, `$${key}_tag`]),
    ),
    ...nginxMap(`"$status $${key}_file"`, `${key}_coding`, empty, [
      ...encodings.map((name) => [nginxPattern(`^(?:200|304) .*\\.json\\${ENCODINGS[name]}$`), name] as const),
    ]),
    ...nginxMap(`$${key}_file`, `${key}_file_cache`, text(page["Cache-Control"]), [
      ...cachings.map(([name, { "Cache-Control": caching }]) => [text(name), text(caching)] as const),
    ]),
    ...nginxMap("$status", `${key}_cache`, text(error["Cache-Control"]), [
      ["200", `$${key}_file_cache`],
      ["304", `$${key}_file_cache`],
      ["301", text(moved["Cache-Control"])],
      ["204", empty],
    ]),
    ...Object.entries(preflight).flatMap(([name, value]) =>
      nginxMap("$status", headerVariable(name, key), empty, [["204", text(value)]]),
    ),
    ...[...furtherHeaders(deployment)].flatMap(([name, values]) =>
      nginxMap(
        `"$status $${key}_file"`,
        headerVariable(name, key),
        empty,
        values.map(([file, value]) => [nginxPattern(`^(?:200|304) ${literal(file)}$`), text(value)] as const),
      ),
    ),
  ];
}

/** Headers of single files, other than Content-Type and Cache-Control, with their values. */
function furtherHeaders({ files }: Pick<Rules, "files">): Map<string, [file: string, value: string][]> {
  const found = new Map<string, [string, string][]>();
  for (const [file, { "Content-Type": _type, "Cache-Control": _caching, ...further }] of files)
    for (const [name, value] of Object.entries(further)) found.set(name, [...(found.get(name) ?? []), [file, value]]);
  return found;
}

/** The map from files of the release to digests. */
function tagMap(deployment: Deployment): string[] {
  const [folder, name] = [`${deployment.pageFolder}/`, `${nameOfPages(deployment)}/`];
  const nameOf = (path: string) => (path.startsWith(folder) ? name + path.slice(folder.length) : path);
  const tags = [...tagsOf(deployment)].map(([path, tag]) => [nameOf(path), `'${tag}'`] as const);
  return [
    "",
    `# The ${tags.length} files of the release, each with its digest.`,
    ...nginxMap(`$${deployment.key}_file`, `${deployment.key}_tag`, '""', tags),
    "",
  ];
}

/**
 * The name of the pages' folder in maps. By default, nginx refuses map keys of more than 46 bytes, and it reads a key that
 * begins with a tilde as a pattern.
 */
function nameOfPages({ pageFolder }: Pick<Rules, "pageFolder">): string {
  const longest = 46 - "/999999999.json.br".length;
  return pageFolder.length > longest || pageFolder.startsWith("~") ? "pages" : pageFolder;
}

/** Writes a map: the variable `to` is computed from `source`, by the first matching row. */
function nginxMap(
  source: string,
  to: string,
  otherwise: string,
  rows: readonly (readonly [string, string])[],
): string[] {
  return nginxBlock(`map ${source} $${to}`, [
    `default ${otherwise};`,
    ...rows.map(([from, value]) => `${from} ${value};`),
  ]);
}

function nginxBlock(head: string, lines: readonly string[]): string[] {
  return [`${head} {`, ...lines.map((line) => `  ${line}`), "}"];
}

/** The name of a header's variable. */
function headerVariable(header: string, key: string): string {
  return `${key}_${header.toLowerCase().replaceAll("-", "_")}`;
}

function nginxPattern(text: string, kind: "~" | "~*" | "" = "~"): string {
  return `"${kind}${text.replace(/["\\]/g, "\\$&")}"`;
}

/** Quotes a value in which nginx interprets variables. */
function quoteNginx(text: string, key: string): string {
  return nginxWord(text).replaceAll("$", () => `$${`{${key}_dollar}`}`);
}

/** Quotes a value in which nginx does not interpret variables. */
function nginxWord(text: string): string {
  return `"${text.replace(/["\\]/g, "\\$&")}"`;
}
