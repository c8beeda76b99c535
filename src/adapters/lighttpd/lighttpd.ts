/** lighttpd with mod_magnet: a script that finds the file and its tag. */
import { join } from "node:path";
import { ENCODINGS } from "../../contract/headers.js";
import { SUMS } from "../../release/layout.js";
import { type Adapter, limitedBy } from "../rules/adapter.js";
import { type Deployment, fileTagsOf } from "../rules/deployment.js";
import { readScript, scriptRules } from "../rules/script.js";

const SCRIPT = "rollcall.lua";

export const lighttpd: Adapter = {
  name: "lighttpd",
  title: "lighttpd",
  query: "mod_magnet",
  compression: "files",
  tested: "lighttpd of Debian with its Lua module",
  limitations: {
    malformed: "Its parser refuses malformed requests before the script runs",
    ...limitedBy("It answers 501 to a method that it does not know", ["method-unknown", "method-case"]),
    "http-1.0": "It answers HTTP/1.0 with HTTP/1.0",
    "repeated-condition": "Its script gets only the first line of If-None-Match",
    "length-required": "It answers 411 to a POST or PUT without a length",
    "head-of-errors": "It sends no Content-Length for HEAD of a redirect",
  },
  steps: ["Needs mod_magnet: Debian has it in lighttpd-modules-lua."],
  files(deployment) {
    const script = join(deployment.folder, SCRIPT);
    const what = "lighttpd, as the host";
    return [
      {
        path: "rollcall.conf",
        what,
        instructions:
          'Goes into the configuration by a line: include "rollcall.conf"; then systemctl restart lighttpd.\n' +
          "It makes the whole server the release's, and names one: write it again after each build, with the script beside it.",
        text: writeConfiguration(deployment, script),
      },
      {
        path: SCRIPT,
        what,
        instructions: `The script that rollcall.conf reads from ${script}.`,
        text: writeScript(deployment),
      },
    ];
  },
};

function writeConfiguration({ root, address, port }: Deployment, script: string): string {
  return [
    'server.modules += ( "mod_magnet" )',
    `server.document-root := ${quote(root)}`,
    `server.port := ${port ?? 80}`,
    ...(address === undefined ? [] : [`server.bind := ${quote(address)}`]),
    'server.tag := "lighttpd"',
    "# Bytes can change without their time and size, so only the script sets tags.",
    'static-file.etags := "disable"',
    'server.range-requests := "disable"',
    "# Only the script reads the path and query, and it takes them as they were sent.",
    'server.http-parseopts := ( "url-normalize" => "disable" )',
    `magnet.attract-raw-url-to := ( ${quote(script)} )`,
    "",
  ].join("\n");
}

function writeScript(deployment: Deployment): string {
  const { root, encodings, release } = deployment;
  const rules = {
    ...scriptRules(deployment),
    ...{ root: `${root}/`, lastPage: release.snapshot.pages, sums: SUMS },
    tags: Object.fromEntries(fileTagsOf(deployment)),
    codings: encodings.map((name) => ({ name, suffix: ENCODINGS[name] })),
  };
  return readScript(new URL(SCRIPT, import.meta.url), `local RULES = ${lua(rules, "")}`);
}

/** A JSON value as Lua has it, in any version. */
function lua(value: unknown, indent: string): string {
  if (typeof value === "string") return quote(value);
  if (typeof value !== "object" || value === null) return String(value);
  if (Array.isArray(value)) return `{ ${value.map((item) => lua(item, indent)).join(", ")} }`;
  const fields = Object.entries(value).map(
    ([key, item]) => `${indent}  [${quote(key)}] = ${lua(item, `${indent}  `)},\n`,
  );
  return `{\n${fields.join("")}${indent}}`;
}

/** A text between double quotes: Lua and lighttpd's configuration both escape with a backslash. */
function quote(text: string): string {
  return `"${text.replace(/["\\]/g, "\\$&")}"`;
}
