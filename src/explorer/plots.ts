/** Plots of all records: over time, shares of facet values, and distributions of integers. */
import { type Contract, fieldAt } from "../contract/contract.js";
import { html, type Markup } from "../markup/markup.js";
import { drawNamedBars, drawNamedColumns, timesPlot } from "../markup/plots/bars.js";
import { figure, type Plot } from "../markup/plots/figure.js";
import { count, number } from "../print/numbers.js";
import { capital, oneLine } from "../print/text.js";
import { epochTime, headingOf } from "./meaning.js";
import type { Distribution, ExplorerSummary, Facet, TimesSummary } from "./summary.js";

/** Maximum number of plots of each kind. */
const MOST_PLOTS = 12;
const MOST_BARS = 10;
const BAR = "bar";
const WIDTHS = [680, 520, 420, 340];
const TIMES_WIDTHS = [1080, 860, ...WIDTHS];

/** Makes the section with all plots; undefined if there are none. */
export function overviewPlots(contract: Contract, summary: ExplorerSummary): Markup | undefined {
  const drawn = [
    ...(summary.times && hasSeveral(summary.times.bins) ? [recordTimes(contract, summary.times)] : []),
    ...summary.facets
      .filter(isInformative)
      .slice(0, MOST_PLOTS)
      .map((facet, at) => sharesPlot(contract, facet, summary.count, at + 1)),
    ...summary.integers
      .filter(({ path, bins }) => hasSeveral(bins) && !summary.facets.some((facet) => facet.path === path))
      .filter(({ path, max }) => !isReference(path) && !epochTime(fieldAt(contract, path), max))
      .slice(0, MOST_PLOTS)
      .map((distribution, at) => integersPlot(contract, distribution, at + 1)),
  ];
  if (drawn.length === 0) return undefined;
  return html`<section class="plots" aria-labelledby="plots-title">
<h2 id="plots-title">At a glance</h2>
${drawn.map(figure)}</section>
`;
}

/** Whether more than one bin has records. */
function hasSeveral(bins: readonly { count: number }[]): boolean {
  return bins.filter(({ count: records }) => records > 0).length > 1;
}

/** Whether a path names a reference to another record, such as `owner_id` or `ownerId`. */
function isReference(path: string): boolean {
  return /(?:^|[._])id$|\p{Ll}Id$/u.test(path);
}

/** Whether a facet has several values, and not a different one for each record. */
function isInformative({ values, more }: Facet): boolean {
  return values.length > 1 && (more === 0 || (values[0]?.count ?? 0) > 1);
}

function recordTimes(contract: Contract, { path, unit, bins, before, after }: TimesSummary): Plot {
  const { words } = contract.listing;
  const field = fieldAt(contract, path);
  const isDay = field.schema.format === "date";
  const drawn = bins.map(({ from, to, count }) => ({ start: new Date(from), end: new Date(to), counts: [count] }));
  return timesPlot({
    title: `${capital(words[1])} over time`,
    about: headingOf(field),
    times: { bins: drawn, unit: `${unit}${isDay ? "" : " (UTC)"}`, before, after },
    ...{ words, isDay, kinds: [[BAR, capital(words[1])]], widths: TIMES_WIDTHS },
  });
}

function sharesPlot(contract: Contract, { path, values, more }: Facet, all: number, nth: number): Plot {
  const [, many] = contract.listing.words;
  const rows = values.map(({ value, count: records }) => [valueText(value), records, share(records, all)] as const);
  const bars = rows
    .slice(0, MOST_BARS)
    .map(([name, records, part]) => ({ name, count: records, figure: `${number(records)} · ${part}` }));
  const rest = rows.length + more - bars.length;
  const field = fieldAt(contract, path);
  const notDrawn = rest > 0 ? `Not drawn: ${count(rest, "rarer value")}.` : undefined;
  return {
    id: `facet${nth}`,
    title: headingOf(field),
    sentence: sentences(oneLine(field.schema.description) ?? `Number of ${many} with each value.`, notDrawn),
    shown: {
      widths: WIDTHS,
      draw: (width) => drawNamedBars(bars, BAR, width, all),
      figures: { head: ["Value", capital(many), "Share"], rows },
    },
  };
}

function integersPlot(contract: Contract, { path, min, max, bins }: Distribution, nth: number): Plot {
  const [, many] = contract.listing.words;
  const isGrowing = new Set(bins.map(({ from, to }) => to - from)).size > 1;
  const rows = bins.map(({ from, to, count: records }) => [rangeText(from, to), records] as const);
  return {
    id: `integer${nth}`,
    title: headingOf(fieldAt(contract, path)),
    sentence: sentences(
      `Number of ${many} by value, from ${digits(min)} to ${digits(max)}.`,
      isGrowing ? "Outer bars span more values." : undefined,
    ),
    shown: {
      widths: WIDTHS,
      draw: (width) =>
        drawNamedColumns(
          bins.map(({ from, to, count: records }) => ({
            label: short(from),
            name: rangeText(from, to),
            count: records,
          })),
          BAR,
          width,
        ),
      figures: { head: ["Value", capital(many)], rows: rows.filter(([, records]) => records > 0) },
    },
  };
}

function sentences(...all: readonly (string | undefined)[]): string {
  return all.filter((sentence) => sentence !== undefined).join(" ");
}

/** A value of a facet as text. Not escaped. */
function valueText(value: unknown): string {
  if (value === "") return "(empty)";
  return value === null ? "(none)" : String(value);
}

/** Formats a share: `32 %`; `< 1 %` and `> 99 %` instead of 0 % and 100 % for parts. */
function share(records: number, all: number): string {
  const part = (100 * records) / all;
  if (part < 1) return "< 1 %";
  return part > 99 && records < all ? "> 99 %" : `${Math.round(part)} %`;
}

function rangeText(from: number, to: number): string {
  return from === to ? digits(from) : `${digits(from)} to ${digits(to)}`;
}

/** Formats an integer. Numbers of four digits may be years and get no separator. */
function digits(value: number): string {
  return Math.abs(value) < 10_000 ? String(value) : number(value);
}

/** Shortens a round number: `20k`, `5M`. */
function short(value: number): string {
  const units = ["", "k", "M", "G", "T", "P"];
  let [rest, unit] = [value, 0];
  while (Math.abs(rest) >= 1000 && rest % 1000 === 0 && unit < units.length - 1) [rest, unit] = [rest / 1000, unit + 1];
  return `${rest}${units[unit]}`;
}
