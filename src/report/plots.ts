/** The plots of the HTML report, as SVG. */
import { scaleLinear } from "d3-scale";
import { linkHorizontal } from "d3-shape";
import type { Field } from "../contract/contract.js";
import { valueAt } from "../contract/record/value.js";
import type { Diff } from "../diff/change.js";
import { html, type Markup } from "../markup/markup.js";
import { drawNamedBars, timesPlot } from "../markup/plots/bars.js";
import { figure, figuresTable, type Plot, type PlotDrawing } from "../markup/plots/figure.js";
import { TimeCounter, type Times } from "../markup/plots/times.js";
import { firstOf } from "../print/fit.js";
import { count, number } from "../print/numbers.js";
import { capital, visible } from "../print/text.js";
import { type Facet, type FacetValue, type Move, type Report, writePath } from "./model.js";

/** Widths of drawings in pixels, widest first. */
const WIDTHS = [520, 340];
/** Maximum bars. The table of figures has all fields. */
const MOST_BARS = 12;

/** The section with all plots that are not empty. */
export async function plots(report: Report): Promise<Markup> {
  const drawn = [
    ...(report.fields.length > 0 ? [fieldsPlot(report)] : []),
    ...report.facets.map((facet, at) => movesPlot(facet, report.words, at + 1)),
    ...(await addedAndRemoved(report)),
  ];
  return html`<section class="plots" aria-labelledby="plots-title">
<h2 id="plots-title">At a glance</h2>
${drawn.map(figure)}
</section>
`;
}

/** A bar for each field: the number of records in which it changed, longest first. */
function fieldsPlot({ diff, fields, words: [one, many] }: Report): Plot {
  const bars = fields.slice(0, MOST_BARS).map(([name, records]) => ({ name, count: records }));
  const omitted = fields.length - bars.length;
  const of = `${capital(many)} whose value differs, of ${count(diff.changed, [`changed ${one}`, `changed ${many}`])}.`;
  return {
    id: "fields",
    title: "Changes by field",
    sentence: omitted === 0 ? of : `${of} ${count(omitted, "rarer field")} not drawn.`,
    shown: {
      widths: WIDTHS,
      draw: (width) => drawNamedBars(bars, "changed", width),
      figures: { head: ["Field", capital(many)], rows: fields },
    },
  };
}

/** Added and removed records by time; no plot without such records, or without a time. */
async function addedAndRemoved({ diff, subjects, words }: Report): Promise<Plot[]> {
  const { time } = subjects.added;
  if (time === undefined || diff.added + diff.removed === 0) return [];
  const times = await countTimes(diff, time);
  if (times.bins.length === 0) return [];
  const isDay = time.schema.format === "date";
  const path = writePath(time.path);
  const plot = timesPlot({
    title: `Added and removed ${words[1]} by ${path}`,
    about: `Added ones stand above the line and removed ones below, by ${path}${isDay ? "" : " (UTC)"}`,
    kinds: [
      ["added", "Added"],
      ["removed", "Removed"],
    ],
    ...{ times, words, isDay, widths: [1080, ...WIDTHS] },
  });
  return [plot];
}

/** Counts added and removed records by the time in a field, in at most 60 bins and in bounded memory. */
export async function countTimes(diff: Diff, field: Field): Promise<Times> {
  const counter = new TimeCounter(2);
  for await (const change of diff.changes()) {
    if (change.kind === "changed") break;
    const value = valueAt(change.record, field);
    if (typeof value === "string") counter.add(value, change.kind === "added" ? 0 : 1);
  }
  return counter.bins();
}

/** The height of all ribbons in pixels: `each` for every value on the side with more values, but at most `most`. */
const SHARED = { each: 56, most: 220 };
/** Pixels of a line of text, a block and a character. */
const LINE = 13;
const BLOCK = 6;
const CHARACTER = 7;
const THINNEST = 1.5;

/** The number of classes for the strength of a cell, strength1 to strength5. */
const STRENGTHS = 5;
/** Maximum ribbons of one colour that the eye can follow. */
const MOST_RIBBONS = 5;
/** Maximum rows and columns of a table of moves, and maximum moves of a list. */
const [MOST_VALUES, MOST_LISTED] = [24, 100];

/**
 * Old and new values of a facet, as ribbons of proportional width, as a table, or as a list.
 * @param nth the number of the facet in the report, from 1.
 */
function movesPlot({ path, moves }: Facet, words: Report["words"], nth: number): Plot {
  const [from, to] = [valuesOf(moves, "from"), valuesOf(moves, "to")];
  const moved = sumOf(moves);
  const [id, title] = [`flow${nth}`, `Moves of ${path}`];
  const who = count(moved, words);
  const figures = (some: readonly Move[]) => ({
    head: ["From", "To", capital(words[1])],
    rows: some.map(({ from, to, count }) => [from.text, to.text, count]),
  });
  if (moves.length <= MOST_RIBBONS) {
    const sentence = `${who} went from the value on the left to the one on the right.`;
    const draw = (width: number) => drawFlow(moves, moved, width);
    return { id, title, sentence, shown: { widths: WIDTHS, draw, figures: figures(moves) } };
  }
  if (Math.max(from.length, to.length) <= MOST_VALUES) {
    const sentence = `${who} went from the value of the row to the one of the column.`;
    return { id, title, sentence, shown: matrix(id, moves, from, to) };
  }
  const omitted = moves.length - MOST_LISTED;
  const sentence = `${who} went from one value to another.${omitted > 0 ? ` Not listed: ${count(omitted, "rarer move")}.` : ""}`;
  const listed = figuresTable(html`aria-labelledby="${id}-title"`, figures(moves.slice(0, MOST_LISTED)));
  return { id, title, sentence, shown: html`${listed}\n` };
}

/**
 * A table of the numbers of records that changed from each value to each other. Larger numbers have a stronger colour.
 * @param from, to the values of rows and columns.
 */
function matrix(id: string, moves: readonly Move[], from: readonly FacetValue[], to: readonly FacetValue[]): Markup {
  const most = Math.max(...moves.map(({ count }) => count));
  const sum = (of: (move: Move) => boolean) => sumOf(moves.filter(of));
  const cell = (records: number) => {
    // The square root keeps small numbers distinguishable.
    const strength = Math.ceil(STRENGTHS * Math.sqrt(records / most));
    return html`<td class="number strength${strength}">${records === 0 ? "" : number(records)}</td>`;
  };
  const total = (records: number) => html`<td class="number">${number(records)}</td>`;
  const row = (value: FacetValue) => html`<tr><th scope="row">${breakable(value)}</th>${to.map((column) =>
    cell(sum((move) => move.from === value && move.to === column)),
  )}${total(sum((move) => move.from === value))}</tr>
`;
  return html`<div class="figures matrix" tabindex="0" role="group" aria-labelledby="${id}-title"><table>
<thead><tr><th scope="col">From, to</th>${to.map((value) => html`<th scope="col"><span>${breakable(value)}</span></th>`)}<th scope="col" class="number">All</th></tr></thead>
<tbody>${from.map(row)}</tbody>
<tfoot><tr><th scope="row">All</th>${to.map((value) => total(sum((move) => move.to === value)))}${total(sumOf(moves))}</tr></tfoot>
</table></div>
`;
}

/** A value on one side, with its number of records. */
interface Node {
  /** Its text, broken to fit beside the ribbons. */
  lines: readonly string[];
  records: number;
  /** Its upper edge and height, and how much of the height ribbons have used so far. */
  top: number;
  height: number;
  taken: number;
}

function drawFlow(moves: readonly Move[], moved: number, width: number): PlotDrawing {
  const size = scaleLinear([0, moved], [0, sharedHeight(moves)]);
  const gap = Math.round(width * 0.31);
  const room = Math.floor((gap - BLOCK) / CHARACTER);
  const [left, right] = [stack(moves, "from", size, room), stack(moves, "to", size, room)];
  const height = Math.max(left.height, right.height);
  for (const { nodes, height: own } of [left, right]) for (const node of nodes.values()) node.top += (height - own) / 2;
  const curve = linkHorizontal<unknown, [number, number]>();
  const ribbons = moves
    .toSorted((a, b) => a.from.place - b.from.place || a.to.place - b.to.place)
    .map(({ from, to, count: records }) => {
      const wide = size(records);
      const source: [number, number] = [gap + BLOCK, take(left.nodes.get(from), wide)];
      const target: [number, number] = [width - gap - BLOCK, take(right.nodes.get(to), wide)];
      return html`<path class="ribbon" d="${curve({ source, target }) ?? ""}" stroke-width="${Math.max(THINNEST, wide).toFixed(1)}"><title>${from.text} to ${to.text}: ${number(records)}</title></path>
`;
    });
  const labels = [
    ...[...left.nodes.values()].map((node) => label(node, gap, "end")),
    ...[...right.nodes.values()].map((node) => label(node, width - gap, "start")),
  ];
  return { height, marks: [...ribbons, ...labels] };
}

function sharedHeight(moves: readonly Move[]): number {
  const nodes = Math.max(valuesOf(moves, "from").length, valuesOf(moves, "to").length);
  return Math.min(SHARED.most, SHARED.each * nodes);
}

/** The values of one side from top to bottom, with room for their texts. */
function stack(moves: readonly Move[], side: "from" | "to", size: (records: number) => number, room: number) {
  const nodes = new Map<FacetValue, Node>();
  let bottom = 0;
  for (const value of valuesOf(moves, side)) {
    const records = sumOf(moves.filter((move) => move[side] === value));
    const lines = broken(value, room);
    const height = Math.max(THINNEST, size(records));
    const slot = height + (lines.length + 2) * LINE;
    nodes.set(value, { lines, records, top: bottom + (slot - height) / 2, height, taken: 0 });
    bottom += slot;
  }
  return { nodes, height: Math.ceil(bottom) };
}

/** Breaks a value after `_` into lines that fit: `NEED_P2P_` and `VERIFICATION`. */
function broken(value: FacetValue, room: number): string[] {
  const lines: string[] = [];
  for (const word of parts(value)) {
    const longer = `${lines.at(-1) ?? ""}${word}`;
    if (lines.length > 0 && longer.length <= room) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines.map((line) => firstOf(line, room, visible));
}

/** Takes the next free part of a node. @returns its middle */
function take(node: Node | undefined, wide: number): number {
  if (!node) return 0;
  node.taken += wide;
  return Number((node.top + node.taken - wide / 2).toFixed(1));
}

function label({ lines, records, top, height }: Node, edge: number, anchor: "start" | "end"): Markup {
  const [x, block] = anchor === "end" ? [edge - 6, edge] : [edge + 6, edge - BLOCK];
  const first = top + height / 2 - (lines.length * LINE) / 2 + 4;
  const at = (line: number) => (first + line * LINE).toFixed(1);
  return html`<rect class="changed" x="${block}" y="${top.toFixed(1)}" width="${BLOCK}" height="${height.toFixed(1)}"/>
${lines.map((text, line) => html`<text class="status" x="${x}" y="${at(line)}" text-anchor="${anchor}">${text}</text>\n`)}<text class="figure" x="${x}" y="${at(lines.length)}" text-anchor="${anchor}">${number(records)}</text>
`;
}

function sumOf(moves: readonly Move[]): number {
  return moves.reduce((sum, { count }) => sum + count, 0);
}

/** The values of one side, each once, in order. */
function valuesOf(moves: readonly Move[], side: "from" | "to"): FacetValue[] {
  return [...new Set(moves.map((move) => move[side]))].sort((one, other) => one.place - other.place);
}

/** The parts of a value between which lines may break: after each `_`. */
function parts({ text }: FacetValue): string[] {
  return text.split(/(?<=_)/);
}

/** A value in which lines may break. */
function breakable(value: FacetValue): Markup {
  return html`${parts(value).map((part, at) => html`${at === 0 ? undefined : html`<wbr>`}${part}`)}`;
}
