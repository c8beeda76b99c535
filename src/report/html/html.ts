/** `--format html`: a diff as one HTML file for reviewers. It works offline, and texts of users are never markup. */
import type { Diff, FieldFilter } from "../../diff/change.js";
import { count } from "../../print/numbers.js";
import { sideName } from "../facts.js";
import { readAssets } from "./assets.js";
import { changeList } from "./list.js";
import { html, type Markup } from "./markup.js";
import { dataBlocks } from "./rows.js";
import { differing, summary } from "./summary.js";

interface HtmlOptions {
  /** A sentence for each gate that was exceeded. */
  exceeded: readonly string[];
  filter?: FieldFilter;
}

/** In bounded memory: the changes are read twice, for the plots and for the list. The bytes depend on the diff alone. */
export async function* htmlReport(diff: Diff, { exceeded, filter = {} }: HtmlOptions): AsyncGenerator<string> {
  const assets = readAssets();
  yield head(diff, assets).source;
  yield summary(diff, exceeded, filter).source;
  if (differing(diff) > 0) {
    // The libraries for charts take long to load.
    const { plots } = await import("./plots.js");
    yield (await plots(diff)).source;
    yield changeList(diff).source;
    yield "</main>\n";
    yield* dataBlocks(diff.changes());
    yield html`<script>${assets.script}</script>\n`.source;
  } else yield "</main>\n";
  yield "</html>\n";
}

function head(diff: Diff, { policy, style }: ReturnType<typeof readAssets>): Markup {
  const total = differing(diff);
  return html`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${total === 0 ? "No changes" : count(total, "change")}: ${sideName(diff.old)} to ${sideName(diff.new)}</title>
<style>${style}</style>
`;
}
