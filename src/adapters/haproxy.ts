/** HAProxy before a host that can only serve paths: it maps the query, and writes the headers and errors. */
import { join } from "node:path";
import { ENCODINGS, type ErrorStatus } from "../contract/headers.js";
import { PAGES } from "../release/layout.js";
import type { Adapter } from "./rules/adapter.js";
import { type Deployment, type HostedSite, tagLines } from "./rules/deployment.js";
import {
  DIGITS,
  encodingPatterns,
  literal,
  PAGE_NUMBER,
  PATTERN_LIMITATIONS,
  QUERY,
  WHOLE_QUERY,
} from "./rules/patterns.js";
import { BODIES, type Headers, INVALID_PAGE_BODY } from "./rules/rules.js";

const TAGS = "rollcall-tags.map";

export const haproxy: Adapter = {
  name: "haproxy",
  title: "HAProxy, before any host",
  query: "set-path",
  compression: "files",
  tested: "HAProxy of Debian, before nginx without configuration",
  limitations: {
    ...PATTERN_LIMITATIONS,
    malformed: "Its parser refuses malformed requests before it reads any rules",
  },
  steps: ["The host behind it has the release's folder at the path of --origin; its headers do not matter."],
  files(deployment, site) {
    const tags = join(deployment.folder, TAGS);
    return [
      {
        path: "rollcall.cfg",
        what: "HAProxy, as the host",
        instructions:
          "Goes beside haproxy.cfg: haproxy -f /etc/haproxy/haproxy.cfg -f rollcall.cfg; then systemctl reload haproxy.\n" +
          "It names one release: write it again after each build, with the map beside it.",
        text: configuration(deployment, site, tags),
      },
      { path: TAGS, instructions: `The digests, which rollcall.cfg reads from ${tags}.`, text: tagLines(deployment) },
    ];
  },
};

function configuration(deployment: Deployment, { address, port }: HostedSite, tags: string): string {
  const { origin } = deployment;
  const tls = origin.protocol === "https:";
  const server = `${origin.hostname}:${origin.port || (tls ? 443 : 80)}`;
  const name = word(`str(${argument(origin.hostname)})`);
  return [
    "frontend rollcall",
    "  mode http",
    `  bind ${address ?? ""}:${port ?? 80}`,
    "  timeout client 30s",
    "  timeout http-request 10s",
    ...[...errors(deployment), ...request(deployment, tags), ...found(deployment)].map((line) => `  ${line}`),
    "  default_backend rollcall",
    "",
    "backend rollcall",
    "  mode http",
    "  timeout connect 5s",
    "  timeout server 30s",
    ...forward(deployment).map((line) => `  ${line}`),
    `  server origin ${server}${tls ? ` ssl verify required ca-file @system-ca sni ${name}` : ""}`,
    "",
  ].join("\n");
}

/** The statuses that HAProxy answers with an HTML page of its own. */
const OWN_PAGES = [400, 408, 500, 502, 503, 504];

function errors({ headers, error }: Deployment): string[] {
  const bodyOf = (status: number) => BODIES[Math.min(status, 500) as ErrorStatus];
  return OWN_PAGES.map((status) => `http-error status ${status} ${json(bodyOf(status), { ...headers, ...error })}`);
}

/** Finds the file of the release for a request, or answers it. */
function request(deployment: Deployment, tags: string): string[] {
  const { listing, bare, pages, base, redirect, headers, preflight, moved, encodings, files, error } = deployment;
  const digits = DIGITS.map((group) => `\\${group}`).join("");
  const set = (name: string, expression: string, condition = "") =>
    `http-request set-var(txn.rollcall_${name}) ${word(expression)}${condition && ` if ${condition}`}`;
  const query = (pattern: string) => `{ query -m reg ${word(pattern)} }`;
  const path = (pattern: string) => `{ path -m reg ${word(`^${pattern}$`)} }`;
  const search = `%[url,regsub(${argument("^[^?]*")},${argument("")})]`;
  return [
    ...Object.entries(headers).map(([name, value]) => `http-after-response set-header ${name} ${format(value)}`),
    `http-request return status 204${fields(preflight)} if METH_OPTIONS`,
    `http-request return status 405 ${json(BODIES[405], error)} if !METH_GET`,
    `http-request return status 301${fields(moved)} hdr Location ${word(redirect.replaceAll("%", "%%") + search)} if { path -m str ${word(bare)} }`,
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
        set("suffix", `str(${argument(suffix)})`, `{ req.fhdr(accept-encoding) -i -m reg ${word(pattern)} }`),
      ),
    set("file", "str(none)"),
    set(
      "file",
      `str(${PAGES}/),concat(,txn.rollcall_page,.json),concat(,txn.rollcall_suffix)`,
      path(`${literal(listing)}(?:pages/${PAGE_NUMBER}\\.json)?`),
    ),
    ...[...files.keys()].map((name) =>
      set("file", `str(${argument(name)})`, `{ path -m str ${word(`${base}/${name}`)} }`),
    ),
    set("tag", `var(txn.rollcall_file),map_str(${argument(tags)})`),
    `http-request return status 404 ${json(INVALID_PAGE_BODY, error)} if !{ var(txn.rollcall_tag) -m found } ${path(`${literal(listing)}(?:pages/[^/]*\\.json)?`)}`,
    `http-request return status 404 ${json(BODIES[404], error)} if !{ var(txn.rollcall_tag) -m found }`,
  ];
}

/** Sets the file's headers, and answers 304 to a reader that has it. */
function found({ page, files, encodings }: Deployment): string[] {
  // A condition has no groups, so a substitution tests the pattern.
  const known = "^(?:(\\x22\\w+\\x22) .*\\1.*|\\x22\\w+\\x22 [ \\t]*\\*[ \\t]*)$";
  const after = (name: string, value: string, file: string) =>
    `http-after-response set-header ${name} ${value} if { status 200 304 } { var(txn.rollcall_file) -m ${file} }`;
  return [
    'http-after-response set-header ETag "%[var(txn.rollcall_tag)]" if { status 200 304 }',
    ...Object.entries(page).map(([name, value]) => after(name, format(value), `beg ${PAGES}/`)),
    ...[...files].flatMap(([file, headers]) =>
      Object.entries(headers).map(([name, value]) => after(name, format(value), `str ${word(file)}`)),
    ),
    ...encodings.map((name) => after("Content-Encoding", name, `end ${word(`.json${ENCODINGS[name]}`)}`)),
    `http-request set-var(txn.rollcall_known) ${word(`req.fhdr(if-none-match)`)}`,
    `http-request set-var(txn.rollcall_known) ${word(`var(txn.rollcall_tag),concat(${argument(" ")},txn.rollcall_known),regsub(${argument(known)},fresh)`)}`,
    "http-after-response del-header Content-Length if { status 304 }",
    "http-request return status 304 if { var(txn.rollcall_known) -m str fresh }",
  ];
}

/** Asks the host behind for the file with a plain request, and takes only the bytes of its answer. */
function forward({ origin, error }: Deployment): string[] {
  const folder = origin.pathname.replace(/\/$/, "").replaceAll("%", "%%");
  const conditions = ["Range", "If-Range", "If-None-Match", "If-Modified-Since", "If-Match", "If-Unmodified-Since"];
  const own = ["Last-Modified", "Accept-Ranges", "Content-Encoding", "Vary", "ETag", "Expires", "Age", "Server"];
  return [
    ...[...conditions, "Accept-Encoding", "Expect"].map((name) => `http-request del-header ${name}`),
    `http-request set-header Host ${word(origin.host)}`,
    `http-request set-path ${word(`${folder}/%[var(txn.rollcall_file)]`)}`,
    "http-request set-query %[str()]",
    ...own.map((name) => `http-response del-header ${name}`),
    `http-response return status 500 ${json(BODIES[500], error)} if !{ status 200 }`,
  ];
}

function json(body: string, headers: Headers): string {
  const { "Content-Type": type = "", ...others } = headers;
  return `content-type ${type} string ${word(body)}${fields(others)}`;
}

function fields(headers: Headers): string {
  return Object.entries(headers)
    .map(([name, value]) => ` hdr ${name} ${format(value)}`)
    .join("");
}

/** A value in which a bare `%` would begin a variable. */
function format(text: string): string {
  return word(text.replaceAll("%", "%%"));
}

/** An argument of a function, which commas and parentheses would end. */
function argument(text: string): string {
  return `"${text.replace(/["\\]/g, "\\$&")}"`;
}

/** One word of a line. */
function word(text: string): string {
  return text.includes("'") ? `"${text.replace(/["\\$]/g, "\\$&")}"` : `'${text}'`;
}
