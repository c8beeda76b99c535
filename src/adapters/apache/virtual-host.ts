/** Apache httpd as a virtual host: digests from a map, files from the folder of the release. */

import { type Deployment, tagsOf } from "../rules/deployment.js";
import { literal } from "../rules/patterns.js";
import { decodePath } from "../rules/rules.js";
import { FOUND, quoteApache, writeAnswers } from "./answers.js";
import { answer, apacheWord, PAGE_FILE, type PathPattern, pagePattern, writeMethods, writePageRules } from "./rules.js";

/** @param files the paths, on the host, of the map of tags and of the body of a 405. */
export function writeVirtualHost(site: Deployment, files: { tags: string; refusal: string }): string {
  const { address, port, serverName, root } = site;
  return [
    `<VirtualHost ${address ?? "*"}:${port ?? 80}>`,
    ...[
      `ServerName ${quoteApache(serverName)}`,
      `DocumentRoot ${quoteApache(root)}`,
      ...open(root),
      `Alias ${REFUSAL} ${quoteApache(files.refusal)}`,
      ...open(files.refusal.replace(/\/[^/]*$/, "")),
      "AllowEncodedSlashes NoDecode",
      "TraceEnable off",
      "",
      ...writeAnswers(site, REFUSAL),
      "",
      "# Time and size say nothing of the bytes, and the tags do; so these are all that Apache compares.",
      "Header onsuccess unset ETag",
      `Header always set ETag "%{ROLLCALL_TAG}e" "expr=${FOUND}"`,
      "RequestHeader unset If-None-Match env=!ROLLCALL_FRESH",
      "RequestHeader set If-None-Match * env=ROLLCALL_FRESH",
      "",
      `RewriteMap rollcall_tags ${quoteApache(`txt:${files.tags}`)}`,
      ...rules(site),
    ].map((line) => (line === "" ? line : `  ${line}`)),
    "</VirtualHost>",
    "",
  ].join("\n");
}

/** A path of no release. */
const REFUSAL = "/.rollcall/405";

function open(folder: string): string[] {
  return [
    `<Directory ${quoteApache(folder)}>`,
    "  AllowOverride None",
    "  Options None",
    "  Require all granted",
    "</Directory>",
  ];
}

function rules(site: Deployment): string[] {
  const { base, files, page } = site;
  const path: PathPattern = (text) => literal(decodePath(text));
  const others = [...files].filter(([, { "Content-Type": type }]) => type !== page["Content-Type"]);
  return [
    ...writeMethods(),
    ...writePageRules(site, path),
    `RewriteRule ${pagePattern(site, path)} - [E=ROLLCALL_FILE:${PAGE_FILE}]`,
    ...[...files.keys()].map(
      (name) => `RewriteRule ${apacheWord(`^${path(`${base}/${name}`)}$`)} - [E=ROLLCALL_FILE:${name}]`,
    ),
    "RewriteRule ^ - [E=ROLLCALL_TAG:$".concat("{rollcall_tags:%{ENV:ROLLCALL_FILE}}]"),
    'RewriteCond %{ENV:ROLLCALL_TAG} =""',
    `RewriteRule ^ - ${answer(404)}`,
    'RewriteCond "%{ENV:ROLLCALL_TAG} %{HTTP:If-None-Match}" "^(?:(\\x22\\w+\\x22) .*\\1|\\x22\\w+\\x22 [ \\t]*\\*[ \\t]*$)" [NV]',
    "RewriteRule ^ - [E=ROLLCALL_FRESH:1]",
    ...others.flatMap(([name, { "Content-Type": type }]) => [
      `RewriteCond %{ENV:ROLLCALL_FILE} =${name}`,
      `RewriteRule ^ %{DOCUMENT_ROOT}/${name} ${apacheWord(`[T=${type},END]`)}`,
    ]),
    `RewriteRule ^ %{DOCUMENT_ROOT}/%{ENV:ROLLCALL_FILE} [T=${page["Content-Type"]},END]`,
  ];
}

/** The map of tags: a file of the release and its tag in a line. */
export function writeTagMap(site: Deployment): string {
  return [...tagsOf(site)].map(([path, tag]) => `${path} ${tag}\n`).join("");
}
