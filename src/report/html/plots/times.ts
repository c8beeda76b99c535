/** Bars along time: up for added records, down for removed ones. */
import { scaleLinear, scaleUtc } from "d3-scale";
import type { Field } from "../../../contract/contract.js";
import { html } from "../../../markup/markup.js";
import { BARS_HEIGHT, BARS_MARGIN, gridLines, timeAxis, withArticle } from "../../../markup/plots/axes.js";
import type { Plot, PlotDrawing } from "../../../markup/plots/figure.js";
import type { Times } from "../../../markup/plots/times.js";
import { count, number, time } from "../../../print/numbers.js";
import type { Subject } from "../../subject.js";
import { writePath } from "../../value.js";
import type { Bin } from "../times.js";

/** @param field the time that records go by. */
export function timesPlot({ bins, unit, before, after }: Times<Bin>, { words }: Subject, field: Field): Plot {
  const left = [before > 0 && `${count(before, words)} earlier`, after > 0 && `${number(after)} later`];
  const notDrawn = left.filter(Boolean).join(" and ");
  const [, many] = words;
  const isDay = field.schema.format === "date";
  const path = writePath(field.path);
  return {
    id: "times",
    title: `Added and removed ${many} by ${path}`,
    sentence: `Added ones stand above the line and removed ones below, by ${path}${isDay ? "" : " (UTC)"}; a bar is ${withArticle(unit)}.${
      notDrawn && ` Not drawn: ${notDrawn}.`
    }`,
    shown: {
      widths: [1080, 520, 340],
      draw: (width) => drawBars(bins, width),
      figures: {
        head: [isDay ? "From" : "From (UTC)", "Added", "Removed"],
        rows: bins
          .filter(({ added, removed }) => added + removed > 0)
          .map((bin) => [time(bin.start).slice(0, isDay ? "2026-11-21".length : undefined), bin.added, bin.removed]),
      },
    },
  };
}

function drawBars(bins: readonly Bin[], width: number): PlotDrawing {
  const [first, last] = [bins[0], bins.at(-1)];
  if (!first || !last) return { height: 0, marks: [] };
  const x = scaleUtc([first.start, last.end], [BARS_MARGIN.left, width - BARS_MARGIN.right]);
  const y = scaleLinear(
    [-Math.max(...bins.map(({ removed }) => removed)), Math.max(...bins.map(({ added }) => added))],
    [BARS_HEIGHT - BARS_MARGIN.bottom, BARS_MARGIN.top],
  ).nice(5);
  const bars = bins.map((bin) => {
    const [from, to] = [x(bin.start), x(bin.end)];
    const gap = to - from > 4 ? 1 : 0;
    const bar = (kind: "added" | "removed", a: number, b: number) =>
      bin[kind] === 0
        ? undefined
        : html`<rect class="${kind}" x="${(from + gap / 2).toFixed(1)}" width="${(to - from - gap).toFixed(1)}" y="${a.toFixed(1)}" height="${Math.max(1, b - a).toFixed(1)}"><title>${time(bin.start)}: ${number(bin[kind])} ${kind}</title></rect>
`;
    return html`${bar("added", y(bin.added), y(0))}${bar("removed", y(0), y(-bin.removed))}`;
  });
  return { height: BARS_HEIGHT, marks: [...gridLines(y, width), ...bars, ...timeAxis(x, width)] };
}
