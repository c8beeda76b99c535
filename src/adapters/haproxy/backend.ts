/** One release as HAProxy's backend: it maps the query to a file, asks the origin for it, and writes the headers and errors. */
import { basename } from "node:path";
import { ENCODINGS } from "../../contract/headers.js";
import { RELEASES } from "../../release/layout.js";
import type { Deployment } from "../rules/deployment.js";
import { type Family, pathsOfFamilies } from "../rules/families.js";
import { DIGITS, encodingPatterns, literal, PAGE_NUMBER, QUERY, WHOLE_QUERY } from "../rules/patterns.js";
import { BODIES, INVALID_PAGE_BODY } from "../rules/rules.js";
import { argument, flagless, formatted, headerFields, httpError, jsonAnswer, oneWord } from "./language.js";

/** @param tags the path of the file that has the tags. */
export function writeBackend(deployment: Deployment, tags: string): string {
  const { origin, siteKey } = deployment;
  const tls = origin.protocol === "https:";
  const server = `${origin.hostname}:${origin.port || (tls ? 443 : 80)}`;
  const name = oneWord(`str(${argument(origin.hostname)})`);
  return [
    `backend ${siteKey}`,
    ...[
      "mode http",
      "timeout connect 5s",
      "timeout server 30s",
      ...[...errors(deployment), ...request(deployment, tags), ...found(deployment), ...forward(deployment)],
      `server origin ${server}${tls ? ` ssl verify required ca-file @system-ca sni ${name}` : ""}`,
    ].map((line) => `  ${line}`),
    "",
  ].join("\n");
}

/** The statuses that HAProxy answers with an HTML page of its own. */
const OWN_PAGES = [400, 408, 500, 502, 503, 504];

function errors({ headers, error }: Deployment): string[] {
  return OWN_PAGES.map((status) => httpError(status, { ...headers, ...error }));
}

/** Finds the file of the release for a request, or answers it. */
function request(deployment: Deployment, tags: string): string[] {
  const { listing, redirects, pages, pageFolder, base, headers, preflight, moved, encodings, error } = deployment;
  const { routes, families } = deployment;
  const digits = DIGITS.map((group) => `\\${group}`).join("");
  const set = (name: string, expression: string, condition = "") =>
    `http-request set-var(txn.rollcall_${name}) ${oneWord(expression)}${condition && ` if ${condition}`}`;
  const query = (pattern: string) => `{ query -m reg ${oneWord(pattern)} }`;
  const path = (pattern: string) => `{ path -m reg ${oneWord(`^${pattern}$`)} }`;
  const search = `%[url,regsub(${argument("^[^?]*")},${argument("")})]`;
  return [
    ...Object.entries(headers).map(([name, value]) => `http-after-response set-header ${name} ${formatted(value)}`),
    `http-request return status 204${headerFields(preflight)} if METH_OPTIONS`,
    `http-request return status 405 ${jsonAnswer(BODIES[405], error)} if !METH_GET`,
    ...[...redirects].map(
      ([bare, to]) =>
        `http-request return status 301${headerFields(moved)} hdr Location ${oneWord(to.replaceAll("%", "%%") + search)} if { path -m str ${oneWord(bare)} }`,
    ),
    "# The page that the query asks for: the last of these rules decides.",
    set("page", "str(1)"),
    set("page", "str(none)", query(QUERY.other)),
    set("page", "str(1)", query(QUERY.empty)),
    set("page", `query,regsub(${argument(WHOLE_QUERY)},${argument(digits)})`, query(QUERY.page)),
    set("page", "str(none)", query(QUERY.twice)),
    set(
      "page",
      `path,regsub(${argument(`^.*/(${PAGE_NUMBER})[.]json$`)},${argument("\\1")})`,
      path(`${literal(pages)}${PAGE_NUMBER}\\.json`),
    ),
    set("suffix", `str(${argument("")})`),
    ...encodingPatterns(encodings)
      .reverse()
      .map(({ pattern, suffix }) =>
        set("suffix", `str(${argument(suffix)})`, `{ req.fhdr(accept-encoding) -i -m reg ${oneWord(pattern)} }`),
      ),
    set("file", "str(none)"),
    set(
      "file",
      `str(${pageFolder}/),concat(,txn.rollcall_page,.json),concat(,txn.rollcall_suffix)`,
      path(`${literal(listing)}(?:pages/${PAGE_NUMBER}\\.json)?`),
    ),
    ...[...routes].map(([route, name]) => set("file", `str(${argument(name)})`, `{ path -m str ${oneWord(route)} }`)),
    set(
      "file",
      `path,regsub(${argument(`^${literal(`${base}/`)}`)},${argument("")})`,
      path(literal(`${base}/`) + pathsOfFamilies(families)),
    ),
    set("tag", `var(txn.rollcall_file),map_str(${argument(tags)})`),
    `http-request return status 404 ${jsonAnswer(INVALID_PAGE_BODY, error)} if !{ var(txn.rollcall_tag) -m found } ${path(`${literal(listing)}(?:pages/[^/]*\\.json)?`)}`,
    `http-request return status 404 ${jsonAnswer(BODIES[404], error)} if !{ var(txn.rollcall_tag) -m found }`,
  ];
}

/** The condition for files that are so large that ranges of them are sent. */
function areLarge(families: readonly Family[]): string {
  const folders = families.filter(({ hasRanges }) => hasRanges).map(({ folder }) => `${folder}/`);
  return `{ var(txn.rollcall_file) -m beg ${folders.join(" ")} }`;
}

/** Sets the file's headers, and answers 304 to a reader that has it. */
function found({ pageFolder, page, files, families, encodings }: Deployment): string[] {
  // A condition has no groups, so a substitution tests the pattern.
  const known = "^(?:(\\x22\\w+\\x22) .*\\1.*|\\x22\\w+\\x22 [ \\t]*\\*[ \\t]*)$";
  const after = (name: string, value: string, file: string) =>
    `http-after-response set-header ${name} ${value} if { status 200 206 304 } { var(txn.rollcall_file) -m ${file} }`;
  return [
    'http-after-response set-header ETag "%[var(txn.rollcall_tag)]" if { status 200 206 304 }',
    ...[...families, { folder: pageFolder, headers: page }].flatMap(({ folder, headers }) =>
      Object.entries(headers).map(([name, value]) => after(name, formatted(value), `beg ${flagless(`${folder}/`)}`)),
    ),
    ...[...files].flatMap(([file, headers]) =>
      Object.entries(headers).map(([name, value]) => after(name, formatted(value), `str ${flagless(oneWord(file))}`)),
    ),
    ...encodings.map((name) => after("Content-Encoding", name, `end ${oneWord(`.json${ENCODINGS[name]}`)}`)),
    `http-request set-var(txn.rollcall_known) ${oneWord(`req.fhdr(if-none-match)`)}`,
    `http-request set-var(txn.rollcall_known) ${oneWord(`var(txn.rollcall_tag),concat(${argument(" ")},txn.rollcall_known),regsub(${argument(known)},fresh)`)}`,
    "http-after-response del-header Content-Length if { status 304 }",
    "http-request return status 304 if { var(txn.rollcall_known) -m str fresh }",
  ];
}

/** Asks the host behind for the file with a plain request, and takes only the bytes of its answer. */
function forward({ origin, folder, error, families }: Deployment): string[] {
  const isLarge = areLarge(families);
  const root = `${origin.pathname.replace(/\/$/, "")}/${RELEASES}/${encodeURIComponent(basename(folder))}`;
  const conditions = ["If-Range", "If-None-Match", "If-Modified-Since", "If-Match", "If-Unmodified-Since"];
  const own = ["Last-Modified", "Content-Encoding", "Vary", "ETag", "Expires", "Age", "Server"];
  return [
    `http-request del-header Range if !${isLarge}`,
    "http-request del-header Range if { req.fhdr(if-range) -m found } !{ req.fhdr(if-range),strcmp(txn.rollcall_tag) eq 0 }",
    ...[...conditions, "Accept-Encoding", "Expect"].map((name) => `http-request del-header ${name}`),
    `http-request set-header Host ${oneWord(origin.host)}`,
    `http-request set-path ${oneWord(`${root.replaceAll("%", "%%")}/%[var(txn.rollcall_file)]`)}`,
    "http-request set-query %[str()]",
    ...own.map((name) => `http-response del-header ${name}`),
    `http-response del-header Accept-Ranges if !${isLarge}`,
    `http-response return status 416 ${jsonAnswer(BODIES[416], error)} if { status 416 } ${isLarge}`,
    `http-response return status 500 ${jsonAnswer(BODIES[500], error)} if !{ status 200 206 }`,
  ];
}
