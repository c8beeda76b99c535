/** nginx: maps from a request to a file of the release and its tag, and one location that uses them. */
import type { ErrorStatus } from "../../contract/headers.js";
import type { Deployment, HostedSite } from "../rules/deployment.js";
import type { Host } from "../rules/host.js";
import { literal, PATTERN_LIMITATIONS, spelling } from "../rules/patterns.js";
import { BODIES, decodePath } from "../rules/rules.js";
import { headerVariable, nginxBlock, nginxPattern, nginxWord, quoteNginx } from "./language.js";
import { furtherHeaders, maps, nameOfPages, tagMap } from "./maps.js";

const MAPS = "nginx.conf";
const RULES = "nginx-server.conf";

export const nginx: Host = {
  name: "nginx",
  title: "nginx",
  query: "map",
  compression: "files",
  tested: "nginx of Debian",
  limitations: PATTERN_LIMITATIONS,
  steps: ["Needs only the modules that every package of nginx has."],
  site: (site) => [
    {
      path: "rollcall.conf",
      what: "nginx, as the host",
      instructions:
        "Goes into http { }, as /etc/nginx/conf.d/rollcall.conf does. It is yours: it is never written again, whatever is built.\n" +
        "After each build, and after rollcall use: nginx -t && nginx -s reload.",
      text: writeSite(site),
    },
    {
      path: "rollcall-maps.conf",
      what: "nginx, in http { }: how large maps may be",
      instructions:
        "Goes before rollcall.conf, once for all listings: nginx warns of maps with more than 2,000 files without it.\n" +
        "Remove it where http { } has these two lines already.",
      text: "map_hash_max_size 1048576;\nmap_hash_bucket_size 256;\n",
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
      instructions: `Included by the site's file. Every name is one of the maps of ${MAPS}, and of no other release.`,
      text: rules(deployment).join("\n"),
    },
  ],
};

function writeSite({ base, serverName, address, port, included }: HostedSite): string {
  const on = (number: number, rest = "") =>
    address === undefined
      ? [`listen ${number}${rest};`, `listen [::]:${number}${rest};`]
      : [`listen ${address}:${number}${rest};`];
  // An include takes these characters for a pattern.
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
    "  # Two slashes are not one.",
    "  merge_slashes off;",
    ...(base === ""
      ? []
      : [
          "  # Other listings of this name, and all else, may go into this server too: these by the same two lines.",
          "  location / { return 404; }",
        ]),
    `  include ${file(RULES)};`,
    "}",
    "",
  ].join("\n");
}

/** The statuses that nginx answers with an HTML page of its own, and the contract's error that replaces it. */
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
    "# Errors of nginx itself, and of paths that nothing else in this server answers.",
    ...errors([["403 404", 404], ...ERROR_PAGES]),
    ...nginxBlock(`location ${area}`, [
      ...answers(deployment),
      ...errors(ERROR_PAGES),
      "# A returned 304 would have Content-Length: 0, so the file is opened and its status replaced.",
      `error_page 418 =304 @${key}_fresh;`,
      "if ($request_method = OPTIONS) { return 204; }",
      `if ($request_method !~ ^(?:GET|HEAD)$) { return 405 ${quoteNginx(BODIES[405], key)}; }`,
      "# A path in another spelling than that of links, which nginx brings into that form.",
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
          // The headers of the packed file are set by then. One without a value replaces those that would be set again.
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
            `location ${nginxWord(`${internal}/files/${name}`)} { alias ${quoteNginx(`${folder}/${name}`, key)}; default_type ${quoteNginx(type, key)}; }`,
        ),
      ]),
    ]),
    "",
  ];
}

/** What every answer has, whatever its status. */
function answers(deployment: Deployment): string[] {
  const { key, headers, preflight, page } = deployment;
  const others = [...Object.keys(preflight), ...furtherHeaders(deployment).keys()];
  return [
    ...Object.entries(headers).map(([name, value]) => `add_header ${name} ${quoteNginx(value, key)} always;`),
    ...others.map((name) => `add_header ${name} $${headerVariable(name, key)};`),
    `add_header Cache-Control $${key}_cache always;`,
    `add_header ETag $${key}_etag;`,
    `add_header Content-Encoding $${key}_coding;`,
    "# Bytes can change without their time and size, so nginx compares neither.",
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
