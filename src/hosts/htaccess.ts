/** Apache httpd with a .htaccess in the published folder. */
import {
  quoteApache,
  redirectFrom,
  redirectsOf,
  writeAnswers,
  writeMethods,
  writeRules,
  writeTypes,
} from "./apache.js";
import { type Host, lines, OWN_TAGS } from "./host.js";
import { literal } from "./patterns.js";
import { BODIES, decodePath, type SiteRules } from "./rules.js";

/** The body of a 405 is a file: for an inline text, Apache would send a second Allow. */
const REFUSAL_FILE = "405.json";

export const htaccess: Host = {
  name: "htaccess",
  title: "Apache .htaccess",
  query: "mod_rewrite",
  compression: "files",
  tested: "Apache of Debian, as a folder of a site",
  limitations: OWN_TAGS,
  steps: ["build --adapt htaccess"],
  published: (rules) => [
    {
      path: ".htaccess",
      what: "Apache, as the folder",
      instructions:
        "Goes into the published folder, which needs AllowOverride All. Only the server can say TraceEnable off.",
      text: writeHtaccess(rules),
    },
    { path: REFUSAL_FILE, instructions: "The body of a 405, beside .htaccess.", text: BODIES[405] },
  ],
};

function writeHtaccess(rules: SiteRules): string {
  const { base } = rules.last;
  const whole = (text: string) => literal(decodePath(text));
  const below = (text: string) => whole(text.slice(base.length + 1));
  // Apache would read $1 as a back-reference.
  const refusal = `${base.replaceAll("$", "%24")}/${REFUSAL_FILE}`;
  return lines(
    "Options -MultiViews +SymLinksIfOwnerMatch",
    "DirectoryIndex disabled",
    "DirectorySlash Off",
    ...writeTypes(),
    "",
    // Apache looks at these patterns again after a page has been rewritten.
    ...writeAnswers(rules, refusal, ({ listing }) => `^${whole(listing)}(?:pages/[^/]*\\.json(?:\\.br|\\.gz)?)?$`),
    "",
    `RewriteBase ${quoteApache(`${base}/`)}`,
    ...writeMethods(),
    "# For the path of this folder without its slash.",
    "RewriteOptions AllowNoSlash",
    ...redirectsOf(rules).flatMap(([bare, to]) => [
      `RewriteCond %{REQUEST_URI} "^${whole(bare)}$"`,
      redirectFrom("^", rules, to),
    ]),
    ...writeRules(rules, { path: below, fileOf: (name) => `"${name}"` }),
  );
}
