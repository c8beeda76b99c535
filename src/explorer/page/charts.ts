/** Histograms of what was found. The explorer loads this script only where it draws one. */
import { number } from "../../core/print/numbers.js";
import { element } from "../markup/page/element.js";

/** A bin of a histogram. */
export interface CountedBin {
  /** What it stands for: `10 to 19`. */
  name: string;
  count: number;
}

export interface Histogram {
  /** The heading of the field. */
  title: string;
  bins: readonly CountedBin[];
  /** A line below: sum and mean. */
  note: string;
}

const SVG = "http://www.w3.org/2000/svg";
/** The smallest height of a bar, as a part of the chart. */
const SHORTEST = 0.02;

/** Draws a histogram as bars, and as a table for screen readers. */
export function drawHistogram({ title, bins, note }: Histogram): HTMLElement {
  const most = Math.max(1, ...bins.map(({ count }) => count));
  const svg = svgElement("svg", {
    viewBox: `0 0 ${bins.length} ${most}`,
    preserveAspectRatio: "none",
    "aria-hidden": "true",
  });
  svg.append(svgElement("line", { x1: 0, x2: bins.length, y1: most, y2: most }));
  for (const [at, { name, count }] of bins.entries()) {
    if (count === 0) continue;
    const tall = Math.max(count, SHORTEST * most);
    const bar = svgElement("rect", { class: "bar", x: at + 0.05, width: 0.9, y: most - tall, height: tall });
    const tip = svgElement("title", {});
    tip.textContent = `${name}: ${number(count)}`;
    bar.append(tip);
    svg.append(bar);
  }
  const ends = [bins[0], bins.at(-1)].map((bin) => element("span", {}, bin?.name ?? ""));
  return element(
    "div",
    { class: "histogram" },
    svg,
    element("p", { class: "ends", "aria-hidden": "true" }, ...ends),
    tableOf(title, bins),
    ...(note === "" ? [] : [element("p", { class: "rest" }, note)]),
  );
}

function tableOf(title: string, bins: readonly CountedBin[]): HTMLElement {
  const rows = bins.map(({ name, count }) =>
    element("tr", {}, element("th", { scope: "row" }, name), element("td", {}, number(count))),
  );
  const head = element("tr", {}, element("th", { scope: "col" }, "Value"), element("th", { scope: "col" }, "Found"));
  const table = element("table", { "aria-label": `${title}: number found by value` });
  table.append(element("thead", {}, head), element("tbody", {}, ...rows));
  return element("div", { class: "hidden" }, table);
}

function svgElement(name: string, attributes: Readonly<Record<string, string | number>>): SVGElement {
  const made = document.createElementNS(SVG, name) as SVGElement;
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  return made;
}
