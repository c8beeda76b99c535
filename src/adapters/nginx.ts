/** nginx: maps from a request to a file of the release and its tag, and one server that uses them. */
import { ENCODINGS, type ErrorStatus } from "../contract/headers.js";
import { PAGES } from "../release/layout.js";
import type { Adapter } from "./rules/adapter.js";
import { type Deployment, tagsOf } from "./rules/deployment.js";
import { DIGITS, encodingPatterns, literal, PAGE_NUMBER, PATTERN_LIMITATIONS, QUERY } from "./rules/patterns.js";
import { BODIES, decodePath, INVALID_PAGE_BODY } from "./rules/rules.js";

export const nginx: Adapter = {
  name: "nginx",
  title: "nginx",
  query: "map",
  compression: "files",
  tested: "nginx of Debian",
  limitations: {
    ...PATTERN_LIMITATIONS,
    "method-case": "Its parser answers 400 to a method in lowercase letters",
    connect: "Its parser answers 400 to CONNECT",
    "repeated-condition": "Its parser answers 400 to a second line of If-None-Match",
  },
  steps: ["Needs only the modules that every package of nginx has."],
  files: (deployment) => [
    {
      path: "rollcall.conf",
      what: "nginx, as the host",
      instructions:
        "Goes into http { }, as /etc/nginx/conf.d/rollcall.conf does; then nginx -t && nginx -s reload.\n" +
        "It names one release: write it again after each build.\n" +
        "nginx may warn that its map_hash is not optimal with many pages; map_hash_max_size at the top of http { } ends that.",
      text: [...maps(deployment), ...server(deployment), ...tagMap(deployment)].join("\n"),
    },
  ],
};

/** The statuses that nginx answers with an HTML page of its own, and the contract's error that replaces it. */
const ERROR_PAGES: readonly [statuses: string, answer: ErrorStatus][] = [
  ["400 401 402 406 409 411 412 415 416 421 429 495 496 497", 400],
  ["405", 405],
  ["408", 408],
  ["413", 413],
  ["414 494", 431],
  ["403 404 500 501 502 503 504 505 507", 500],
];

function maps({ base, listing, pages, encodings, files }: Deployment): string[] {
  const path = (text: string) => literal(decodePath(text));
  const file = (name: string) => `"${PAGES}/${name}.json$rollcall_suffix"`;
  const empty = '""';
  return [
    "# A dollar sign; nginx has no escape for it.",
    'geo $rollcall_dollar { default "$"; }',
    "",
    "# The page that the query asks for; empty when there is no such page.",
    "map $args $rollcall_page {",
    "  default 1;",
    `  ${pattern(QUERY.twice)} ${empty};`,
    `  ${pattern(QUERY.page)} ${DIGITS.map((group) => `$${group}`).join("")};`,
    `  ${pattern(QUERY.empty)} 1;`,
    `  ${pattern(QUERY.other)} ${empty};`,
    "}",
    "map $http_accept_encoding $rollcall_suffix {",
    `  default ${empty};`,
    ...encodingPatterns(encodings).map(({ pattern: text, suffix }) => `  ${pattern(text, "~*")} ${quote(suffix)};`),
    "}",
    "# The path of the requested file in the release, whether it exists or not.",
    "map $uri $rollcall_file {",
    `  default ${empty};`,
    `  ${pattern(`^${path(listing)}$`)} ${file("$rollcall_page")};`,
    `  ${pattern(`^${path(pages)}(?<rollcall_number>${PAGE_NUMBER})\\.json$`)} ${file("$rollcall_number")};`,
    ...[...files.keys()].map((name) => `  ${pattern(`^${path(`${base}/`)}${literal(name)}$`)} ${quote(name)};`),
    "}",
    "map $uri $rollcall_missing {",
    `  default ${quote(BODIES[404])};`,
    `  ${pattern(`^${path(listing)}(?:pages/[^/]*\\.json)?$`)} ${quote(INVALID_PAGE_BODY)};`,
    "}",
    "# 1 when the reader already has these bytes.",
    'map "$rollcall_tag $http_if_none_match" $rollcall_fresh {',
    "  default 0;",
    '  "~^(\\"\\w+\\") .*\\1" 1;',
    '  "~^\\"\\w+\\" [ \\t]*\\*[ \\t]*$" 1;',
    "}",
    'map $status $rollcall_etag { default ""; 200 $rollcall_tag; 304 $rollcall_tag; }',
    'map "$status $rollcall_file" $rollcall_coding {',
    `  default ${empty};`,
    ...encodings.map((name) => `  ${pattern(`^(?:200|304) .*\\.json\\${ENCODINGS[name]}$`)} ${name};`),
    "}",
  ];
}

function server(deployment: Deployment): string[] {
  const { serverName, address, port, root, headers, preflight, page, moved, error, files, redirect, bare } = deployment;
  const cachings = [...files].filter(([, { "Cache-Control": caching }]) => caching !== page["Cache-Control"]);
  return [
    "map $rollcall_file $rollcall_file_cache {",
    `  default ${quote(page["Cache-Control"])};`,
    ...cachings.map(([name, { "Cache-Control": caching }]) => `  ${quote(name)} ${quote(caching)};`),
    "}",
    "map $status $rollcall_cache {",
    `  default ${quote(error["Cache-Control"])};`,
    "  200 $rollcall_file_cache;",
    "  304 $rollcall_file_cache;",
    `  301 ${quote(moved["Cache-Control"])};`,
    '  204 "";',
    "}",
    ...Object.entries(preflight).map(
      ([name, value]) => `map $status ${preflightVariable(name)} { default ""; 204 ${quote(value)}; }`,
    ),
    "",
    "server {",
    `  listen ${address === undefined ? "" : `${address}:`}${port ?? 80};`,
    `  server_name ${quote(serverName)};`,
    `  root ${quote(root)};`,
    "",
    ...Object.entries(headers).map(([name, value]) => `  add_header ${name} ${quote(value)} always;`),
    ...Object.keys(preflight).map((name) => `  add_header ${name} ${preflightVariable(name)};`),
    "  add_header Cache-Control $rollcall_cache always;",
    "  add_header ETag $rollcall_etag;",
    "  add_header Content-Encoding $rollcall_coding;",
    "  # Bytes can change without their time and size, so nginx compares neither.",
    '  add_header Last-Modified "";',
    "  etag off;",
    "  if_modified_since off;",
    "  max_ranges 0;",
    "  gzip off;",
    "  gzip_static off;",
    "  absolute_redirect off;",
    "  merge_slashes off;",
    "  server_tokens off;",
    "  client_max_body_size 0;",
    "  types {}",
    `  default_type ${quote(page["Content-Type"])};`,
    "",
    "  # Errors of nginx itself, before or after the rules below, get one of these bodies.",
    ...ERROR_PAGES.map(([statuses, answer]) => `  error_page ${statuses} =${answer} /.rollcall/${answer};`),
    ...ERROR_PAGES.map(
      ([, answer]) => `  if ($uri = /.rollcall/${answer}) { return ${answer} ${quote(BODIES[answer])}; }`,
    ),
    "",
    "  if ($request_method = OPTIONS) { return 204; }",
    `  if ($request_method !~ ^(?:GET|HEAD)$) { return 405 ${quote(BODIES[405])}; }`,
    `  if ($uri ~ ${pattern(`^${literal(decodePath(bare))}$`, "")}) { return 301 ${quote(redirect).slice(0, -1)}$is_args$args"; }`,
    '  if ($rollcall_tag = "") { return 404 $rollcall_missing; }',
    "  if ($rollcall_fresh) { return 418; }",
    "  rewrite ^ /$rollcall_file break;",
    "  location / {}",
    "  # A returned 304 would have Content-Length: 0, so the file is opened and its status replaced.",
    "  error_page 418 =304 @rollcall_fresh;",
    "  location @rollcall_fresh { rewrite ^ /$rollcall_file last; }",
    ...[...files]
      .filter(([, { "Content-Type": type }]) => type !== page["Content-Type"])
      .map(([name, { "Content-Type": type }]) => `  location = ${quote(`/${name}`)} { default_type ${quote(type)}; }`),
    "}",
  ];
}

function tagMap(deployment: Deployment): string[] {
  const tags = [...tagsOf(deployment)].map(([path, tag]) => `  ${path} '${tag}';`);
  const head = ["map $rollcall_file $rollcall_tag {", '  default "";'];
  return ["", `# The ${tags.length} files of the release, each with its digest.`, ...head, ...tags, "}", ""];
}

function preflightVariable(header: string): string {
  return `$rollcall_${header.toLowerCase().replaceAll("-", "_")}`;
}

function pattern(text: string, kind: "~" | "~*" | "" = "~"): string {
  return `"${kind}${text.replace(/["\\]/g, "\\$&")}"`;
}

/** A value between double quotes, in which nginx reads variables. */
function quote(text: string): string {
  return `"${text.replace(/["\\]/g, "\\$&").replaceAll("$", "$${rollcall_dollar}")}"`;
}
