/** Apache httpd 2.4: a virtual host with digests from a map, and a .htaccess for users who have only a folder of a server. */
import { dirname, join } from "node:path";
import { type Adapter, limitedBy } from "../rules/adapter.js";
import { type Deployment, tagLines } from "../rules/deployment.js";
import { literal, PATTERN_LIMITATIONS } from "../rules/patterns.js";
import { BODIES, decodePath } from "../rules/rules.js";
import { FOUND, quoteApache, writeAnswers } from "./answers.js";
import { htaccessFiles } from "./htaccess.js";
import {
  answer,
  apacheWord,
  PAGE_FILE,
  type PathPattern,
  pagePattern,
  writeMethods,
  writePageRules,
} from "./rewrite.js";

const TAGS = "rollcall-tags.txt";
const REFUSAL_FILE = "rollcall-errors/405.json";
/** A URL's path that no release has. */
const REFUSAL = "/.rollcall/405";

const ETAG =
  "A .htaccess cannot use a map, so tags are Apache's own SHA-1 of the bytes: strong, and equal on every machine";
const VARY = limitedBy("It writes Vary without a space: Accept,Accept-Encoding", [
  ...["vary", "error-vary", "br-vary", "gzip-vary"],
]);
const OTHERS = {
  ...PATTERN_LIMITATIONS,
  "head-of-errors": "It sends no Content-Length for HEAD of an error or a redirect",
  "options-of-server": "It answers OPTIONS * before it reads any rules",
};

export const apache: Adapter = {
  name: "apache",
  title: "Apache httpd",
  query: "mod_rewrite",
  compression: "files",
  tested: "Apache of Debian, as a virtual host and by .htaccess",
  limitations: { ...VARY, ...OTHERS },
  steps: [
    "Needs mod_rewrite, mod_headers, mod_setenvif, mod_env, mod_alias and mod_dir.",
    "Where you have only a folder of the server: build --adapt apache puts a .htaccess into the release, which needs AllowOverride All.",
  ],
  files(deployment) {
    const [tags, refusal] = [join(deployment.folder, TAGS), join(deployment.folder, REFUSAL_FILE)];
    return [
      {
        path: "rollcall.conf",
        what: "Apache, as the virtual host",
        instructions:
          "Goes where virtual hosts are, as /etc/apache2/sites-enabled/rollcall.conf does; then apachectl graceful.\n" +
          "It names one release: write it again after each build, with the files beside it.",
        text: writeVirtualHost(deployment, tags, refusal),
      },
      {
        path: TAGS,
        instructions: `The digests, which rollcall.conf reads from ${tags}.`,
        text: tagLines(deployment),
      },
      {
        path: REFUSAL_FILE,
        instructions: `The body of a 405, which rollcall.conf reads from ${refusal}.`,
        text: BODIES[405],
      },
    ];
  },
  published: htaccessFiles,
  publishedLimitations: {
    ...VARY,
    etag: ETAG,
    "snapshot-id":
      "The id depends on the release's files, so a .htaccess in the release cannot name it; rollcall adapt apache writes one that does",
    ...OTHERS,
    ...limitedBy(ETAG, ["br-tag", "gzip-tag"]),
    malformed: "Its parser refuses malformed requests before it reads a .htaccess",
    trace: "Only the server's own configuration can set TraceEnable",
    connect: "CONNECT names no path, so no .htaccess applies",
  },
};

/** @param tags the path, on the host, of the map of tags. @param refusal the path of the body of a 405. */
function writeVirtualHost(deployment: Deployment, tags: string, refusal: string): string {
  const { address, port, serverName, root } = deployment;
  return [
    `<VirtualHost ${address ?? "*"}:${port ?? 80}>`,
    ...[
      `ServerName ${quoteApache(serverName)}`,
      `DocumentRoot ${quoteApache(root)}`,
      ...openFolder(root),
      `Alias ${REFUSAL} ${quoteApache(refusal)}`,
      ...openFolder(dirname(refusal)),
      "AllowEncodedSlashes NoDecode",
      "TraceEnable off",
      "",
      ...writeAnswers(deployment, REFUSAL),
      "",
      "# Bytes can change without their time and size, so Apache compares only the tags.",
      "Header onsuccess unset ETag",
      `Header always set ETag "%{ROLLCALL_TAG}e" "expr=${FOUND}"`,
      "RequestHeader unset If-None-Match env=!ROLLCALL_FRESH",
      "RequestHeader set If-None-Match * env=ROLLCALL_FRESH",
      "",
      `RewriteMap rollcall_tags ${quoteApache(`txt:${tags}`)}`,
      ...writeRules(deployment),
    ].map((line) => (line === "" ? line : `  ${line}`)),
    "</VirtualHost>",
    "",
  ].join("\n");
}

function openFolder(folder: string): string[] {
  return [
    `<Directory ${quoteApache(folder)}>`,
    "  AllowOverride None",
    "  Options None",
    "  Require all granted",
    "</Directory>",
  ];
}

function writeRules(deployment: Deployment): string[] {
  const { base, files, page } = deployment;
  const path: PathPattern = (text) => literal(decodePath(text));
  const others = [...files].filter(([, { "Content-Type": type }]) => type !== page["Content-Type"]);
  return [
    ...writeMethods(),
    ...writePageRules(deployment, path),
    `RewriteRule ${pagePattern(deployment, path)} - [E=ROLLCALL_FILE:${PAGE_FILE}]`,
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
