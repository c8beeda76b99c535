/** The page's script and style, and a Content-Security-Policy that allows nothing else. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { JOINED } from "../../print/joined.js";
import { Markup } from "./markup.js";

/** The modules of `page/`, in the order of their imports. Since they become one script, no name may exist twice. */
const MODULES = ["element", "text", "difference", "value", "data", "search", "rows", "pager", "main"] as const;

const STYLES = ["base", "summary", "plots", "filters", "list", "values"] as const;

/** Reads the files of `page/`, which is beside this file both in the sources and in the package. */
export function readAssets() {
  const style = STYLES.map((name) => read(`${name}.css`)).join("\n");
  // The modules are joined into one script, inside a function, so that their names are not global; one constant is not theirs.
  const modules = MODULES.map((name) =>
    read(`${name}.js`)
      .replace(/^import .*;\n/gm, "")
      .replace(/^export /gm, ""),
  );
  const joined = `const JOINED = ${JSON.stringify(JOINED)};`;
  const script = `(() => {\n"use strict";\n${[joined, ...modules].join("\n")}})();\n`;
  return { policy: policyFor(script, style), style: new Markup(style), script: new Markup(script) };
}

/** Allows no requests, no other script or style, no form targets, and no conversion of text to markup. */
function policyFor(script: string, style: string): string {
  return [
    "default-src 'none'",
    `script-src ${hashOf(script)}`,
    `style-src ${hashOf(style)}`,
    "img-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; ");
}

function hashOf(source: string): string {
  return `'sha256-${createHash("sha256").update(source).digest("base64")}'`;
}

function read(name: string): string {
  return readFileSync(new URL(`./page/${name}`, import.meta.url), "utf8");
}
