/** Fastly in front of a bucket: VCL that maps queries to files, and answers everything else itself. */

import type { Deployment } from "./deployment.js";
import type { Host } from "./host.js";
import { DIGITS, literal, PAGE_NUMBER, QUERY, WHOLE_QUERY } from "./patterns.js";
import { BODIES, type Headers, INVALID_PAGE_BODY, pathsOfFamilies, pathsOfLarge } from "./rules.js";

export const fastly: Host = {
  name: "fastly",
  title: "Fastly",
  query: "VCL",
  answers: { headers: "all; ETag is the bucket's" },
  compression: "itself",
  tested: "linted by falco; not run",
  steps: [
    "Publish the release to a bucket; upload rollcall.vcl as the main VCL of the service.",
    "PURGE of a URL removes it from the cache; it needs a token of the service (Fastly-Key).",
  ],
  files: (deployment) => [
    {
      path: "rollcall.vcl",
      what: "Fastly's VCL",
      instructions:
        "The main VCL of a service whose only backend is the bucket.\nIt is for one release: write it again after each build.",
      text: vcl(deployment),
    },
  ],
};

/** Internal statuses, which a backend does not send. */
const OWN = { 204: 620, 301: 621, 404: 624, 405: 625, invalid: 626 } as const;

function vcl(deployment: Deployment): string {
  const { listing, pages, pageFolder, redirects, base, origin, files, routes, families } = deployment;
  const { preflight, moved, error, page, headers } = deployment;
  const root = origin.pathname.replace(/\/$/, "");
  const digits = DIGITS.map((group) => `\\${group}`).join("");
  const isAsked = (path: string) => `req.http.Rollcall-Path == ${text(path)}`;
  const asks = [...redirects].map(
    ([bare, to]) => `  if (${isAsked(bare)}) {
    set req.http.Rollcall-Location = ${text(to)} regsub(req.url, "^[^?]*", "");
    error ${OWN[301]};
  }`,
  );
  const found = [...routes].map(
    ([path, name]) => ` elsif (${isAsked(path)}) {\n    set var.file = ${text(name)};\n  }`,
  );
  const isAt = (folder: string) => `req.url ~ ${regex(`^${literal(`${root}/${folder}/`)}`)}`;
  const own = [
    ...[...files].map(([name, its]) => [`req.url == ${text(`${root}/${name}`)}`, its] as const),
    ...families.map(({ folder, headers: its }) => [isAt(folder), its] as const),
  ].map(([condition, its]) => `    if (${condition}) {\n${set("resp", its, 6)}\n    }`);
  const below = `^${literal(`${base}/`)}`;
  const matches = (pattern: string) => `req.http.Rollcall-Query ~ ${regex(pattern)}`;
  return `sub vcl_recv {
#FASTLY recv
  if (req.method == "OPTIONS") { error ${OWN[204]}; }
  # PURGE arrives as this method. It is handled like GET, for the same object, and needs a token.
  if (req.method == "FASTLYPURGE") { set req.http.Fastly-Purge-Requires-Auth = "1"; }
  if (req.method != "GET" && req.method != "HEAD" && req.method != "FASTLYPURGE") { error ${OWN[405]}; }
  set req.http.Rollcall-Path = regsub(req.url, "\\?.*$", "");
  set req.http.Rollcall-Query = regsub(req.url, "^[^?]*\\??", "");
${asks.join("\n")}
  declare local var.file STRING;
  set var.file = "";
  if (req.http.Rollcall-Path == ${text(listing)}) {
    if (${matches(QUERY.twice)}) { error ${OWN.invalid}; }
    if (${matches(QUERY.page)}) {
      set var.file = "${pageFolder}/" regsub(req.http.Rollcall-Query, ${regex(WHOLE_QUERY)}, ${text(digits)}) ".json";
    } elsif (${matches(QUERY.empty)}) {
      set var.file = "${pageFolder}/1.json";
    } elsif (${matches(QUERY.other)}) {
      error ${OWN.invalid};
    } else {
      set var.file = "${pageFolder}/1.json";
    }
  } elsif (req.http.Rollcall-Path ~ ${regex(`^${literal(pages)}${PAGE_NUMBER}\\.json$`)}) {
    set var.file = "${pageFolder}/" regsub(req.http.Rollcall-Path, "^.*/", "");
  } elsif (req.http.Rollcall-Path ~ ${regex(`^${literal(pages)}[^/]*\\.json$`)}) {
    error ${OWN.invalid};
  }${found.join("")} elsif (req.http.Rollcall-Path ~ ${regex(`${below}${pathsOfFamilies(families)}$`)}) {
    set var.file = regsub(req.http.Rollcall-Path, ${regex(below)}, "");
  }
  # Parts, steps and downloads may be too large to be cached in one piece.
  if (var.file ~ ${regex(`^${pathsOfLarge(families)}$`)}) { set req.enable_segmented_caching = true; }
  if (var.file == "") { error ${OWN[404]}; }
  set req.url = ${text(`${root}/`)} var.file;
  return(lookup);
}

sub vcl_fetch {
#FASTLY fetch
  if (beresp.status == 404 || beresp.status == 403) {
    if (${isAt(pageFolder)}) { error ${OWN.invalid}; }
    error ${OWN[404]};
  }
  unset beresp.http.Vary;
  return(deliver);
}

sub vcl_deliver {
#FASTLY deliver
${set("resp", headers)}
  if (resp.status == 200 || resp.status == 206 || resp.status == 304) {
    set resp.http.Cache-Control = ${text(moved["Cache-Control"])};
${own.join("\n")}
    if (${isAt(pageFolder)}) { set resp.http.Content-Type = ${text(page["Content-Type"])}; }
  }
  return(deliver);
}

sub vcl_error {
#FASTLY error
${answer(OWN[204], 204, "No Content", preflight, "")}
${answer(OWN[301], 301, "Moved Permanently", moved, "", "\n    set obj.http.Location = req.http.Rollcall-Location;")}
${answer(OWN[405], 405, "Method Not Allowed", error, BODIES[405])}
${answer(OWN[404], 404, "Not Found", error, BODIES[404])}
${answer(OWN.invalid, 404, "Not Found", error, INVALID_PAGE_BODY)}
}
`;
}

function answer(own: number, status: number, reason: string, headers: Headers, body: string, more = ""): string {
  return `  if (obj.status == ${own}) {
    set obj.status = ${status};
    set obj.response = ${text(reason)};${more}
${set("obj", headers, 4)}
    synthetic ${text(body)};
    return(deliver);
  }`;
}

function set(of: "resp" | "obj", headers: Headers, indent = 2): string {
  return Object.entries(headers)
    .map(([name, value]) => `${" ".repeat(indent)}set ${of}.http.${name} = ${text(value)};`)
    .join("\n");
}

/** Quotes a VCL string, which has `%xx` escapes but no backslash escapes. */
function text(value: string): string {
  return `"${value.replaceAll("%", "%25").replaceAll('"', "%22")}"`;
}

/** Quotes a regular expression, with percent signs as `\x25`, which VCL does not decode. */
function regex(pattern: string): string {
  return `"${pattern.replace(/\\?%/g, "\\x25")}"`;
}
