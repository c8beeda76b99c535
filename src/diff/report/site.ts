/** A diff of two sites: a line of counts for each listing, then the report of each one that differs. */
import type { Diff, FieldFilter } from "../../core/compare/change.js";
import type { LoneListing } from "../../core/compare/gates.js";
import { number } from "../../core/print/numbers.js";
import type { Paint } from "../../core/print/style.js";
import { table } from "../../core/print/table.js";
import { listed, toJson, visible } from "../../core/print/text.js";
import { jsonReport } from "./json.js";
import { LONGEST_COMMENT, markdownReport } from "./markdown.js";
import { CHANGE_KINDS, reportOf } from "./model.js";
import { textReport } from "./text.js";

/** The diffs of two sites. */
export interface SiteDiff {
  listings: readonly { name: string; comparison: Diff & { exceeded: readonly string[] } }[];
  added: readonly LoneListing[];
  removed: readonly LoneListing[];
  /** A sentence for each gate that an added or a removed listing exceeds. */
  exceeded: readonly string[];
}

/** A row for each listing, by name: its name, the numbers of changes by kind, and a note. */
function rowsOf({ listings, added, removed }: SiteDiff): string[][] {
  const compared = listings.map(({ name, comparison }) => {
    const counts = CHANGE_KINDS.map((kind) => number(comparison[kind]));
    return [name, ...counts, comparison.contract ? "contract changed" : ""];
  });
  const rows = [
    ...compared,
    ...added.map(({ name, count }) => [name, number(count), "0", "0", "listing added"]),
    ...removed.map(({ name, count }) => [name, "0", number(count), "0", "listing removed"]),
  ];
  return rows.sort(([one = ""], [other = ""]) => (one < other ? -1 : 1));
}

/** The listings whose records, contract or settings differ. */
function differing({ listings }: SiteDiff): SiteDiff["listings"] {
  return listings.filter(({ comparison }) => {
    const { differing, contract, settings } = reportOf(comparison);
    return differing > 0 || contract !== undefined || settings.length > 0 || comparison.exceeded.length > 0;
  });
}

const COLUMNS = [
  ["listing", "left"],
  ["added", "right"],
  ["removed", "right"],
  ["changed", "right"],
  ["", "left"],
] as const;

/** Writes the report as text. */
export async function* siteText(
  site: SiteDiff,
  { limit, paint, filter }: { limit: number; paint: Paint; filter: FieldFilter },
): AsyncGenerator<string> {
  yield `${table(COLUMNS, rowsOf(site))}\n`;
  for (const sentence of site.exceeded) yield `\n${paint(["bold", "red"], "gate exceeded")}  ${visible(sentence)}\n`;
  for (const { name, comparison } of differing(site)) {
    yield `\n${paint("bold", `==> ${visible(name)} <==`)}\n`;
    yield* textReport(comparison, { limit, paint, exceeded: comparison.exceeded, filter });
  }
}

/** Room for the line that names the listings whose reports do not fit. */
const ROOM_FOR_REST = 2000;
/** A report of a listing needs this much: its head alone may be long. */
const LEAST_ROOM = 4000;

/** Writes the report as Markdown, within the length limit of a comment. */
export async function* siteMarkdown(site: SiteDiff, { filter }: { filter: FieldFilter }): AsyncGenerator<string> {
  const shown = differing(site);
  const lone = site.added.length + site.removed.length;
  const changed = shown.length + lone;
  const title =
    changed === 0 ? "no changes" : `changes in ${number(changed)} of ${number(site.listings.length + lone)} listings`;
  const rows = rowsOf(site).map(([name = "", ...cells]) => `| \`${name}\` | ${cells.join(" | ")} |\n`);
  const gates = site.exceeded.map((sentence) => `\n**Gate exceeded:** ${sentence}\n`);
  const head = `## Rollcall: ${title}\n\n| listing | added | removed | changed | |\n| --- | ---: | ---: | ---: | --- |\n${rows.join("")}${gates.join("")}`;
  yield head;
  let room = LONGEST_COMMENT - head.length - ROOM_FOR_REST;
  const rest: string[] = [];
  for (const [at, { name, comparison }] of shown.entries()) {
    const share = Math.max(LEAST_ROOM, Math.floor(room / (shown.length - at)));
    let text = `\n## \`${name}\`\n\n`;
    for await (const part of markdownReport(comparison, { exceeded: comparison.exceeded, filter, room: share }))
      text += part;
    if (text.length > room) rest.push(name);
    else {
      yield text;
      room -= text.length;
    }
  }
  if (rest.length > 0)
    yield `\nNot shown here, since a comment has no room for them: ${listed(rest, MOST_NAMED)}; \`rollcall diff --listing NAME\` shows one.\n`;
}

/** Maximum listings that a line names. */
const MOST_NAMED = 20;

/** Writes one JSON document: the report of each listing, and the listings that only one side has. */
export async function* siteJson(site: SiteDiff, filter: FieldFilter): AsyncGenerator<string> {
  const countsOf = (listings: readonly LoneListing[]) =>
    toJson(Object.fromEntries(listings.map(({ name, count }) => [name, count])));
  yield `{\n"added":${countsOf(site.added)},\n"removed":${countsOf(site.removed)},\n"listings":{`;
  let separator = "\n";
  for (const { name, comparison } of site.listings) {
    yield `${separator}${toJson(name)}:`;
    yield* jsonReport(comparison, filter);
    separator = ",\n";
  }
  yield "\n}\n}\n";
}
