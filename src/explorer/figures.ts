/** Figures of all records: over time, shares of facet values, and distributions of numbers. */
import { type Contract, type Field, fieldAt } from "../core/contract/contract.js";
import { count, number } from "../core/print/numbers.js";
import { capital, oneLine } from "../core/print/text.js";
import { columnChart, timesFigure } from "./markup/figures/chart.js";
import { type Figure, figuresSection, htmlTable } from "./markup/figures/figure.js";
import { html, type Markup } from "./markup/markup.js";
import { epochTime, fieldsInFileOrder, headingOf, referenceOf } from "./meaning.js";
import type { Distribution, ExplorerSummary, Facet, TimesSummary } from "./summary.js";

/** Maximum number of figures of each kind. */
const MOST = 12;
/** CSS class of columns. */
const BAR = "bar";

/** Makes the section with all figures; undefined if there are none. */
export function overviewFigures(contract: Contract, summary: ExplorerSummary): Markup | undefined {
  const { times, facets, numbers } = summary;
  const places = new Map(fieldsInFileOrder(contract).map(({ path }, at) => [path, at]));
  const inOrder = <Kind extends { path: string }>(all: readonly Kind[]) =>
    all.toSorted((one, other) => (places.get(one.path) ?? 0) - (places.get(other.path) ?? 0));
  const isFacet = (path: string) => facets.some((facet) => facet.path === path);
  const distributed = inOrder(numbers)
    .filter(({ path, bins }) => hasSeveral(bins) && !isFacet(path) && !isReference(fieldAt(contract, path)))
    .filter(({ path, max }) => !epochTime(fieldAt(contract, path), max));
  const shown = [
    ...(times && hasSeveral(times.bins) ? [recordTimes(contract, times)] : []),
    ...inOrder(facets)
      .filter(isInformative)
      .slice(0, MOST)
      .map((facet, at) => shares(contract, facet, summary.count, at + 1)),
    ...distributed.slice(0, MOST).map((distribution, at) => numbersFigure(contract, distribution, at + 1)),
  ];
  return shown.length === 0 ? undefined : figuresSection(shown);
}

/** Whether more than one bin has records. */
function hasSeveral(bins: readonly { count: number }[]): boolean {
  return bins.filter(({ count: records }) => records > 0).length > 1;
}

/** Whether a field refers to another record, also by its name alone, such as `owner_id` or `ownerId`. */
function isReference(field: Field): boolean {
  return referenceOf(field) !== undefined || /(?:^|[._])id$|\p{Ll}Id$/u.test(field.path);
}

/** Whether a facet has several values, and not a different one for each record. */
function isInformative({ values, more }: Facet): boolean {
  return values.length > 1 && (more === 0 || (values[0]?.count ?? 0) > 1);
}

function recordTimes(contract: Contract, { path, bins, ...times }: TimesSummary): Figure {
  const { words } = contract.listing;
  const field = fieldAt(contract, path);
  const drawn = bins.map(({ from, to, count }) => ({ start: new Date(from), end: new Date(to), counts: [count] }));
  return timesFigure({
    title: `${capital(words[1])} over time`,
    about: headingOf(field),
    times: { ...times, bins: drawn },
    words,
    isDay: field.schema.format === "date",
    kinds: [[BAR, words[1]]],
  });
}

function shares(contract: Contract, { path, values, more }: Facet, all: number, nth: number): Figure {
  const [, many] = contract.listing.words;
  const id = `facet${nth}`;
  const field = fieldAt(contract, path);
  const about = oneLine(field.schema.description) ?? `Number of ${many} with each value.`;
  const rows = values.map(({ value, count: records }) => [valueText(value), records, share(records, all)]);
  return {
    id,
    title: headingOf(field),
    sentence: more > 0 ? `${about} Not listed: ${count(more, "rarer value")}.` : about,
    shown: htmlTable(html`aria-labelledby="${id}-title"`, {
      head: ["Value", capital(many), "Share"],
      rows,
      whole: all,
    }),
  };
}

function numbersFigure(contract: Contract, { path, min, max, bins }: Distribution, nth: number): Figure {
  const [, many] = contract.listing.words;
  const id = `number${nth}`;
  const title = headingOf(fieldAt(contract, path));
  const about = `Number of ${many} by value, from ${digits(min)} to ${digits(max)}.`;
  const isGrowing = new Set(bins.map(({ from, to }) => (to - from).toPrecision(9))).size > 1;
  const columns = bins.map(({ from, to, count: records }) => ({ name: rangeText(from, to), counts: [records] }));
  return {
    id,
    title,
    sentence: isGrowing ? `${about} Outer columns span more values.` : about,
    shown: columnChart({ id, title }, { head: "Value", columns, kinds: [[BAR, many]] }),
  };
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

/** Formats a number. Numbers of four digits may be years and get no separator; decimals are kept. */
function digits(value: number): string {
  return Math.abs(value) < 10_000 || !Number.isInteger(value) ? String(value) : number(value);
}
