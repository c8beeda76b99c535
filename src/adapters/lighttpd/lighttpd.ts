/** lighttpd with mod_magnet: a script that finds the file and its tag. */
import { ENCODINGS } from "../../contract/headers.js";
import { SUMS } from "../../release/layout.js";
import type { Adapter } from "../rules/adapter.js";
import { type Deployment, fileTagsOf, type HostedSite } from "../rules/deployment.js";
import { literal } from "../rules/patterns.js";
import { decodePath } from "../rules/rules.js";
import { readScript, scriptRules } from "../rules/script.js";

const SCRIPT = "rollcall.lua";

export const lighttpd: Adapter = {
  name: "lighttpd",
  title: "lighttpd",
  query: "mod_magnet",
  compression: "files",
  tested: "lighttpd of Debian with its Lua module",
  steps: ["Needs mod_magnet: Debian has it in lighttpd-modules-lua."],
  site: (site) => ({
    path: "rollcall.conf",
    what: "lighttpd, as the host",
    instructions:
      "Goes where the server's configuration includes it, as /etc/lighttpd/conf-enabled/rollcall.conf does.\n" +
      "It is yours: it is never written again, whatever is built.\n" +
      "After a build or rollcall use nothing is left to do: lighttpd reads a changed script by itself, within a second.",
    text: writeSite(site),
  }),
  included: (deployment) => [
    {
      path: SCRIPT,
      what: "lighttpd, as the host",
      instructions: "Named by the site's file. It alone says where the release is, so pages and tags change together.",
      text: writeScript(deployment),
    },
  ],
};

function writeSite({ base, serverName, address, port, included }: HostedSite): string {
  const on = (number: number) =>
    (address === undefined ? ["0.0.0.0", "[::]"] : [address]).map(
      (each) => `$SERVER["socket"] == ${quote(`${each}:${number}`)}`,
    );
  const answer = `magnet.attract-raw-url-to := ( ${quote(included(SCRIPT))} )`;
  return [
    "# The same line twice does no harm. Where the server listens on this port by another one, remove these.",
    ...on(port ?? 80).map((socket) => `${socket} { }`),
    "",
    "# For https, mod_openssl, a certificate and these lines:",
    ...on(443).map((socket) => `# ${socket} { ssl.engine = "enable" }`),
    `# ssl.pemfile = "/etc/letsencrypt/live/${serverName}/fullchain.pem"`,
    `# ssl.privkey = "/etc/letsencrypt/live/${serverName}/privkey.pem"`,
    "",
    `$HTTP["host"] == ${quote(serverName)} {`,
    '  server.tag := "lighttpd"',
    "  # Bytes can change without their time and size, so no part of an old answer may be completed by a new one.",
    '  server.range-requests := "disable"',
    ...(base === ""
      ? []
      : [
          "  # What else this name has, is not found. Without this line it is what the rest of the configuration says.",
        ]),
    `  ${answer}`,
    "  # Other listings of this name go here, each by a line such as this.",
    `  $HTTP["url"] =~ "^${literal(decodePath(base))}(?:/|$)" { ${answer} }`,
    "}",
    "",
  ].join("\n");
}

function writeScript(deployment: Deployment): string {
  const { folder: root, encodings, snapshot } = deployment;
  const rules = {
    ...scriptRules(deployment),
    ...{ root: `${root}/`, lastPage: snapshot.pages, sums: SUMS },
    tags: Object.fromEntries(fileTagsOf(deployment)),
    codings: encodings.map((name) => ({ name, suffix: ENCODINGS[name] })),
  };
  return readScript(new URL(SCRIPT, import.meta.url), `local RULES = ${lua(rules, "")}`);
}

/** A text between double quotes, where a backslash stands for itself unless a quote follows. */
function quote(text: string): string {
  return `"${text.replaceAll('"', '\\"')}"`;
}

/** A JSON value as Lua has it, in any version. */
function lua(value: unknown, indent: string): string {
  if (typeof value === "string") return `"${value.replace(/["\\]/g, "\\$&")}"`;
  if (typeof value !== "object" || value === null) return String(value);
  if (Array.isArray(value)) return `{ ${value.map((item) => lua(item, indent)).join(", ")} }`;
  const fields = Object.entries(value).map(
    ([key, item]) => `${indent}  [${lua(key, "")}] = ${lua(item, `${indent}  `)},\n`,
  );
  return `{\n${fields.join("")}${indent}}`;
}
