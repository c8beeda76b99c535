/** The values of a facet that records had and those they have now: as ribbons, as wide as the records are many, or as a table. */
import { scaleLinear } from "d3-scale";
import { linkHorizontal } from "d3-shape";
import type { Flow } from "../../../diff/change.js";
import { html, type Markup } from "../../../markup/markup.js";
import type { Plot, PlotDrawing } from "../../../markup/plots/figure.js";
import { firstOf } from "../../../print/fit.js";
import { count, number } from "../../../print/numbers.js";
import { capital, visible } from "../../../print/text.js";
import type { Subject } from "../../subject.js";
import { writePath } from "../../value.js";
import { breakable, type Move, movesOf, parts, type Value, valuesOf } from "./moves.js";

/** The height of all ribbons in pixels: `each` for every value on the side with more values, but at most `most`. */
const SHARED = { each: 56, most: 220 };
/** Pixels of a line of text, a block and a character. */
const LINE = 13;
const BLOCK = 6;
const CHARACTER = 7;
const THINNEST = 1.5;

/** The style has so many strengths of a cell. */
const STRENGTHS = 5;
/** More ribbons than this, all of one colour, cannot be followed. */
const MOST_RIBBONS = 5;
/** A table of more rows or columns than this is not looked through, and a list of more moves neither. */
const [MOST_VALUES, MOST_LISTED] = [24, 100];

/** @param flow all moves of one facet. @param nth which facet of the report it is, from 1. */
export function flowPlot(path: string, flow: readonly Flow[], subject: Subject, nth: number): Plot {
  const moves = movesOf(path, flow, subject);
  const [from, to] = [valuesOf(moves, "from"), valuesOf(moves, "to")];
  const moved = moves.reduce((sum, { count }) => sum + count, 0);
  const [id, title] = [`flow${nth}`, `Moves of ${writePath(path)}`];
  const who = count(moved, subject.words);
  if (moves.length <= MOST_RIBBONS) {
    const sentence = `${who} went from the value on the left to the one on the right.`;
    const draw = (width: number) => drawFlow(moves, moved, width);
    return { id, title, sentence, shown: { widths: [520, 340], draw, figures: figuresOf(moves, subject) } };
  }
  if (Math.max(from.length, to.length) <= MOST_VALUES) {
    const sentence = `${who} went from the value of the row to the one of the column.`;
    return { id, title, sentence, shown: matrix(id, moves, from, to) };
  }
  const rest = moves.length - MOST_LISTED;
  const sentence = `${who} went from one value to another.${rest > 0 ? ` Not listed: ${count(rest, "rarer move")}.` : ""}`;
  return { id, title, sentence, shown: list(id, moves.slice(0, MOST_LISTED), subject) };
}

function figuresOf(moves: readonly Move[], { words: [, many] }: Subject) {
  const rows = moves.map(({ from, to, count }) => [from.text, to.text, count]);
  return { head: ["From", "To", capital(many)], rows };
}

/** The most frequent moves, a row each. */
function list(id: string, moves: readonly Move[], subject: Subject): Markup {
  const { head } = figuresOf(moves, subject);
  const row = ({ from, to, count: records }: Move) =>
    html`<tr><th scope="row">${from.text}</th><td>${to.text}</td><td class="number">${number(records)}</td></tr>\n`;
  return html`<div class="figures" tabindex="0" role="group" aria-labelledby="${id}-title"><table>
<thead><tr>${head.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
<tbody>${moves.map(row)}</tbody></table></div>
`;
}

/**
 * How many records went from each value to each other one, in cells that are the stronger the more they were.
 * @param from, to the values of the rows and of the columns.
 */
function matrix(id: string, moves: readonly Move[], from: readonly Value[], to: readonly Value[]): Markup {
  const most = Math.max(...moves.map(({ count }) => count));
  const sum = (of: (move: Move) => boolean) => moves.reduce((total, move) => total + (of(move) ? move.count : 0), 0);
  const cell = (records: number) => {
    // By the root, so that few among many still differ.
    const strength = Math.ceil(STRENGTHS * Math.sqrt(records / most));
    return html`<td class="number strength${strength}">${records === 0 ? "" : number(records)}</td>`;
  };
  const total = (records: number) => html`<td class="number">${number(records)}</td>`;
  const row = (value: Value) => html`<tr><th scope="row">${breakable(value)}</th>${to.map((column) =>
    cell(sum((move) => move.from === value && move.to === column)),
  )}${total(sum((move) => move.from === value))}</tr>
`;
  return html`<div class="figures matrix" tabindex="0" role="group" aria-labelledby="${id}-title"><table>
<thead><tr><th scope="col">From, to</th>${to.map((value) => html`<th scope="col"><span>${breakable(value)}</span></th>`)}<th scope="col" class="number">All</th></tr></thead>
<tbody>${from.map(row)}</tbody>
<tfoot><tr><th scope="row">All</th>${to.map((value) => total(sum((move) => move.to === value)))}${total(sum(() => true))}</tr></tfoot>
</table></div>
`;
}

/** A value on one side, with the records that leave it or come to it. */
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
  const nodes = new Map<Value, Node>();
  let bottom = 0;
  for (const value of valuesOf(moves, side)) {
    const records = moves.reduce((sum, move) => sum + (move[side] === value ? move.count : 0), 0);
    const lines = broken(value, room);
    const height = Math.max(THINNEST, size(records));
    const slot = height + (lines.length + 2) * LINE;
    nodes.set(value, { lines, records, top: bottom + (slot - height) / 2, height, taken: 0 });
    bottom += slot;
  }
  return { nodes, height: Math.ceil(bottom) };
}

/** Breaks a value after `_` into lines that fit: `NEED_P2P_` and `VERIFICATION`. */
function broken(value: Value, room: number): string[] {
  const lines: string[] = [];
  for (const word of parts(value)) {
    const longer = `${lines.at(-1) ?? ""}${word}`;
    if (lines.length > 0 && longer.length <= room) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines.map((line) => firstOf(line, room, visible));
}

/** The middle of the next free part of a node. */
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
