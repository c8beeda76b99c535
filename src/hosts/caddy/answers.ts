/** What Caddy answers for one listing, in a block that may hold several: nothing here applies to other paths or has a name of theirs. */
import { usageError } from "../../errors.js";
import type { Deployment } from "../rules/deployment.js";
import { BODIES, decodePath, type Headers, INVALID_PAGE_BODY } from "../rules/rules.js";
import { caddyBlock, caddyWord, indent, letters, literally, quoteCaddy } from "./language.js";
import { placeholders } from "./placeholders.js";

export function answers(deployment: Deployment): string[] {
  const { key, base } = deployment;
  const inner = [...placeholders(deployment), "", "route {", ...indent(route(deployment)), "}"];
  if (base === "") return caddyBlock("handle", inner);
  const area = caddyWord(`^${letters(decodePath(base).toString())}(?:/|$)`);
  return [`@${key} vars_regexp {http.request.orig_uri.path} ${area}`, ...caddyBlock(`handle @${key}`, inner)];
}

/** @throws UserError (usage) for a brace: in a root, Caddy 2.6 takes it for a variable even with an escape. */
function plainRoot(root: string): string {
  if (!root.includes("{")) return root;
  throw usageError(
    `Caddy cannot serve from ${JSON.stringify(root)}, whose brace it would read as a variable's; give another --root.`,
  );
}

function route(deployment: Deployment): string[] {
  const { key, folder: root, headers, error, page, preflight, moved, redirects, encodings } = deployment;
  const { files, families } = deployment;
  const others = [...files, ...families.map(({ folder, headers }) => [folder, headers] as const)];
  const large = families.filter(({ hasRanges }) => hasRanges);
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
    `@whole not vars {${key}_kind} ${large.map(({ folder }) => folder).join(" ")}`,
    ...encodings.flatMap((name) => [
      `@${name} vars {${key}_coding} ${name}`,
      // Set at the end, since the file server omits the length where it finds a coding.
      ...caddyBlock(`header @${name}`, [`Content-Encoding ${name}`, "defer"]),
    ]),
    '@fresh expression {http.request.header.If-None-Match}.contains({http.vars.tag}) || {http.request.header.If-None-Match}.matches("^[ \\t]*[*][ \\t]*$")',
    ...caddyBlock("handle @fresh", ["respond 304"]),
    "# Bytes can change without their time and size, so the file server does not compare these.",
    "request_header @whole -Range",
    "# Go answers what is no range with an error.",
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
 * Answers errors of the whole block. Where there are several listings, those of the first one answer for all; a listing's
 * own headers are set by then.
 */
export function failures({ key, headers, error }: Deployment): string[] {
  return [
    "# Errors of Caddy itself, and of paths that nothing else in this block answers.",
    ...caddyBlock("handle_errors", [
      ...setHeaders(headers, "?"),
      ...setHeaders(error),
      "header -ETag",
      // CONNECT names no path, so it is of no listing.
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
    // For an empty query after a `?`, Caddy has no `?`.
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

/** @param before a matcher, or what is done if the header is there. */
function setHeaders(headers: Headers, before = ""): string[] {
  return Object.entries(headers).map(([name, value]) => `header ${before}${name} ${quoteCaddy(value)}`);
}
