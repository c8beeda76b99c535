/** Apache httpd 2.4: rules that find the file of a request in one release, and its digest in a map of their own. */

import { type Deployment, type HostedSite, tagLines } from "../rules/deployment.js";
import type { Host } from "../rules/host.js";
import { literal, PATTERN_LIMITATIONS } from "../rules/patterns.js";
import { BODIES, decodePath } from "../rules/rules.js";
import { FOUND, isLarge, quoteApache, writeAnswers, writeOwnAnswers } from "./answers.js";
import {
  answer,
  apacheWord,
  type PathPattern,
  pageFile,
  pagePattern,
  writeMethods,
  writePageRules,
  writeSpelling,
} from "./rewrite.js";

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
      "Goes where virtual hosts are, as /etc/apache2/sites-available/rollcall.conf does; then a2ensite rollcall.\n" +
      "It is yours: it is never written again, whatever is built.\n" +
      "After each build, and after rollcall use: apachectl configtest && apachectl graceful.",
    text: writeSite(site),
  }),
  included: (deployment) => [
    {
      path: RULES,
      what: "Apache, in a virtual host: the rules",
      instructions: "Included by the site's file. It names all else by the release's own folder.",
      text: writeRelease(deployment),
    },
    { path: TAGS, instructions: `The digests, which ${RULES} reads.`, text: tagLines(deployment) },
    { path: REFUSAL_FILE, instructions: `The body of a 405, which ${RULES} names.`, text: BODIES[405] },
  ],
};

function writeSite({ base, serverName, address, port = 80, included }: HostedSite): string {
  const on = (number: number) => `${address ?? "*"}:${number}`;
  return [
    ...([80, 443].includes(port) ? [] : [...listen(port, address), ""]),
    `<VirtualHost ${on(port)}>`,
    // ServerName takes no IPv6 address.
    `  ${serverName.startsWith("[") ? "ServerAlias" : "ServerName"} ${quoteApache(serverName)}`,
    "",
    `  # For https: a2enmod ssl, ${on(443)} above, a certificate and these lines:`,
    "  # SSLEngine on",
    `  # SSLCertificateFile /etc/letsencrypt/live/${serverName}/fullchain.pem`,
    `  # SSLCertificateKeyFile /etc/letsencrypt/live/${serverName}/privkey.pem`,
    "",
    "  # Other listings of this name go here, too, each by such a line. One without a path comes last.",
    `  Include ${quoteApache(pathPattern(included(RULES)))}`,
    ...(base === "" ? [] : ["  # What else this name has, is not found.", `  RewriteRule ^ - ${answer(404)}`]),
    "</VirtualHost>",
    "",
  ].join("\n");
}

/** A path where Apache takes some characters for a pattern. Between brackets, each matches itself. */
function pathPattern(path: string): string {
  return path.replace(/[*?[]/g, "[$&]");
}

/** Apache does not start with two lines for one port, so all sites of Rollcall share one. */
function listen(port: number, address?: string): string[] {
  const to = address === undefined ? `${port}` : `${address}:${port}`;
  const name = `ROLLCALL_${to.replace(/\W/g, "_")}`;
  return [
    "# Remove this where the server has such a line already: Apache does not start with two.",
    `<IfDefine !${name}>`,
    `  Define ${name}`,
    `  Listen ${to}`,
    "</IfDefine>",
  ];
}

function writeRelease(deployment: Deployment): string {
  const { key, base, folder, included } = deployment;
  // No release has such a path.
  const refusal = `${base}/.rollcall/405`;
  // Apache would read $1 as a group of a pattern.
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
    "# Bytes can change without their time and size, so Apache compares only the tags.",
    "Header onsuccess unset ETag",
    `Header always set ETag "%{ROLLCALL_TAG}e" "expr=${FOUND} && !(${isSentLarge})"`,
    "# Apache compares If-Range with this one.",
    `Header onsuccess set ETag "%{ROLLCALL_TAG}e" "expr=${isSentLarge}"`,
    "RequestHeader unset If-None-Match env=!ROLLCALL_FRESH",
    "RequestHeader set If-None-Match * env=ROLLCALL_FRESH",
    "",
    ...(base === ""
      ? []
      : [
          "# Of two listings of one name, the last would decide for both.",
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

/** The pattern of all paths of a listing. */
function within({ base }: Deployment): string {
  return `^${literal(decodePath(base))}(?:/|$)`;
}

/** Skips rules for paths that belong to another listing. */
function only(deployment: Deployment, rules: readonly string[]): string[] {
  if (deployment.base === "") return [...rules];
  const count = rules.filter((line) => line.startsWith("RewriteRule ")).length;
  return [`RewriteRule ${apacheWord(`!${within(deployment)}`)} - [S=${count}]`, ...rules];
}

function writeRules(deployment: Deployment): string[] {
  const { base, files, routes, families, page, folder, key } = deployment;
  const path: PathPattern = (text) => literal(decodePath(text));
  const others = [...files].filter(([, { "Content-Type": type }]) => type !== page["Content-Type"]);
  // A word without quotes: between them, a quote could not be escaped.
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
