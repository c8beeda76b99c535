/** The page's own script and style, and the policy that lets a browser take these and nothing else. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { Markup } from "./markup.js";

/** The modules of `page/`, each after those that it imports from; no two have a name in common. */
const MODULES = ["element", "text", "difference", "value", "data", "search", "rows", "pager", "main"] as const;

const STYLES = ["base", "summary", "plots", "filters", "list", "values"] as const;

export interface Assets {
  /** The value of `Content-Security-Policy`. */
  policy: string;
  style: Markup;
  script: Markup;
}

/** Reads the files of `page/`, which stand beside this one in the sources and in the compiled package alike. */
export function readAssets(): Assets {
  const style = STYLES.map((name) => read(`${name}.css`)).join("\n");
  // A page without requests has one script: the modules in a row, in a function, so that no name of theirs is global.
  const modules = MODULES.map((name) => withoutLinkage(read(`${name}.js`)));
  const script = `(() => {\n"use strict";\n${modules.join("\n")}})();\n`;
  return { policy: policyFor(script, style), style: new Markup(style), script: new Markup(script) };
}

function withoutLinkage(module: string): string {
  return module.replace(/^import .*;\n/gm, "").replace(/^export /gm, "");
}

/** No request of any kind, no script or style but ours, no form that goes anywhere; text never becomes markup. */
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
