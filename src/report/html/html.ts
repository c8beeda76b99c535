/** `--format html`: a diff as one HTML file for reviewers. It works offline, and texts of records are never markup. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Diff } from "../../diff/change.js";
import { html, Markup, pageHead } from "../../markup/markup.js";
import { JOINED } from "../../print/joined.js";
import { count } from "../../print/numbers.js";
import { type ReportOptions, sideName } from "../facts.js";
import { subjectsOf } from "../subject.js";
import { changeList } from "./list.js";
import { dataBlocks } from "./rows.js";
import { differing, summary } from "./summary.js";

/** What all pages for people share, and what is of this one: both in the sources and in the package. */
const SHARED = new URL("../../markup/page/", import.meta.url);
const OWN = new URL("./page/", import.meta.url);

/** The modules, in the order of their imports. Since they become one script, no name may exist twice. */
const MODULES = [
  ...["element", "text", "difference", "value", "pager"].map((name) => new URL(`${name}.js`, SHARED)),
  ...["data", "search", "rows", "main"].map((name) => new URL(`${name}.js`, OWN)),
];

const STYLES = [
  new URL("base.css", SHARED),
  new URL("totals.css", SHARED),
  new URL("summary.css", OWN),
  new URL("plots.css", SHARED),
  new URL("controls.css", SHARED),
  new URL("list.css", OWN),
  new URL("values.css", SHARED),
];

/** In bounded memory: the changes are read twice, for the plots and for the list. The bytes depend on the diff alone. */
export async function* htmlReport(diff: Diff, { exceeded = [], filter = {} }: ReportOptions): AsyncGenerator<string> {
  const assets = readAssets();
  const subjects = subjectsOf(diff);
  yield head(diff, assets).source;
  yield summary(diff, subjects.changed, exceeded, filter).source;
  if (differing(diff) > 0) {
    // The libraries for charts take long to load.
    const { plots } = await import("./plots.js");
    yield (await plots(diff, subjects)).source;
    yield changeList(diff, subjects.changed).source;
    yield "</main>\n";
    yield* dataBlocks(diff, subjects);
    yield html`<script>${assets.script}</script>\n`.source;
  } else yield "</main>\n";
  yield "</html>\n";
}

function head(diff: Diff, { policy, style }: ReturnType<typeof readAssets>): Markup {
  const whole = `${title(diff)}: ${sideName(diff.old)} to ${sideName(diff.new)}`;
  return html`${pageHead(whole, policy)}<style>${style}</style>
`;
}

function title(diff: Diff): string {
  const total = differing(diff);
  if (total > 0) return count(total, "change");
  return diff.contract ? "Another contract" : "No changes";
}

function readAssets() {
  const style = STYLES.map(read).join("\n");
  // The modules are joined into one script, inside a function, so that their names are not global; one constant is not theirs.
  const modules = MODULES.map((module) =>
    read(module)
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

function read(file: URL): string {
  return readFileSync(file, "utf8");
}
