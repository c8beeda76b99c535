/** Apache httpd with a .htaccess in the published folder. It cannot use a map, so Apache computes ETags from the bytes. */
import { INVALID_PAGE } from "../contract/headers.js";
import {
  answer,
  apacheWord,
  type PathPattern,
  pageFile,
  pagePattern,
  quoteApache,
  redirectFrom,
  writeAnswers,
  writeMethods,
  writePageRules,
  writeSpelling,
} from "./apache.js";
import { type Host, limitedBy } from "./host.js";
import { literal, PAGE_NUMBER, PATTERN_LIMITATIONS } from "./patterns.js";
import { BODIES, decodePath, type Rules } from "./rules.js";

/** The body of a 405 is a file: for an inline text, Apache would send a second Allow. */
const REFUSAL_FILE = "405.json";

const ETAG = "ETags are Apache's own SHA-1 of the bytes: strong, and equal on every machine";

export const htaccess: Host = {
  name: "htaccess",
  title: "Apache .htaccess",
  query: "mod_rewrite",
  compression: "files",
  tested: "Apache of Debian, as a folder of a site",
  limitations: {
    ...PATTERN_LIMITATIONS,
    ...limitedBy(ETAG, ["etag", "br-tag", "gzip-tag"]),
    "snapshot-id": "A .htaccess in the release cannot name its id; the one that rollcall host htaccess writes does",
  },
  steps: [
    "For a folder of a server that is not yours: build --adapt htaccess puts .htaccess and 405.json into the release.",
    "The folder needs AllowOverride All, and the server the modules of Apache httpd.",
  ],
  published: (rules) => [
    {
      path: ".htaccess",
      what: "Apache, as the folder",
      instructions:
        "Goes into the published folder, which needs AllowOverride All; it is instead of a virtual host.\n" +
        "TraceEnable off can only be said by the server.",
      text: writeHtaccess(rules),
    },
    { path: REFUSAL_FILE, instructions: "The body of a 405, beside .htaccess.", text: BODIES[405] },
  ],
};

function writeHtaccess(rules: Rules): string {
  const { base, files, routes, families, page, redirects } = rules;
  const path: PathPattern = (text) => literal(decodePath(text.slice(base.length + 1)));
  // Apache would read $1 as a back-reference.
  const refusal = `${base.replaceAll("$", "%24")}/${REFUSAL_FILE}`;
  return [
    "Options -MultiViews +SymLinksIfOwnerMatch",
    "DirectoryIndex disabled",
    "DirectorySlash Off",
    "",
    ...writeAnswers(rules, refusal),
    "# A SHA-1 of the bytes, which can change without their time and size.",
    "FileETag Digest",
    "",
    `RewriteBase ${quoteApache(`${base}/`)}`,
    ...writeMethods(),
    ...writeSpelling(base),
    ...(redirects.has(base) ? writeHome(rules) : []),
    "# Apache reads these rules again after a page has been rewritten.",
    "RewriteCond %{ENV:REDIRECT_ROLLCALL_FILE} .",
    "RewriteCond %{REQUEST_FILENAME} -f",
    `RewriteRule ^ - [T=${page["Content-Type"]},END]`,
    "RewriteCond %{ENV:REDIRECT_ROLLCALL_FILE} .",
    `RewriteRule ^ - ${apacheWord(`[E=ROLLCALL_DETAIL:${INVALID_PAGE},R=404,END]`)}`,
    ...writePageRules({ ...rules, redirects: new Map([...redirects].filter(([bare]) => bare !== base)) }, path),
    "# A page with the URL of its own file: Apache does not read the rules again, since nothing is rewritten.",
    'RewriteCond %{ENV:ROLLCALL_SUFFIX} =""',
    "RewriteCond %{REQUEST_FILENAME} -f",
    `RewriteRule ${apacheWord(`^${path(rules.pages)}${PAGE_NUMBER}\\.json$`)} - [T=${page["Content-Type"]},END]`,
    `RewriteRule ${pagePattern(rules, path)} ${pageFile(rules)} [E=ROLLCALL_FILE:1,L]`,
    ...[...routes]
      .filter(([route, name]) => route !== `${base}/${name}`)
      .map(([route, name]) => `RewriteRule ${apacheWord(`^${path(route)}$`)} ${name} [L]`),
    ...[...files].map(
      ([name, { "Content-Type": type }]) =>
        `RewriteRule ${apacheWord(`^${literal(name)}$`)} - ${apacheWord(`[T=${type},END]`)}`,
    ),
    ...families.map(
      ({ folder, names, headers: { "Content-Type": type } }) =>
        `RewriteRule ${apacheWord(`^${folder}/${names}$`)} - ${apacheWord(`[T=${type},END]`)}`,
    ),
    `RewriteRule ^ - ${answer(404)}`,
    "",
  ].join("\n");
}

/** Redirects the folder's path without its slash, for which Apache reads .htaccess only with AllowNoSlash. */
function writeHome(rules: Rules): string[] {
  const { base } = rules;
  return [
    "RewriteOptions AllowNoSlash",
    `RewriteCond %{REQUEST_URI} ${apacheWord(`^${literal(decodePath(base))}$`)}`,
    redirectFrom("^", rules, base),
  ];
}
