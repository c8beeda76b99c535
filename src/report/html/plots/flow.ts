/** The `kyc_status` that users had and the one they have now: as ribbons, as wide as the users are many, or as a table. */
import { scaleLinear } from "d3-scale";
import { linkHorizontal } from "d3-shape";
import { KYC_STATUSES } from "../../../contract/user.js";
import type { Diff, Flow } from "../../../diff/change.js";
import { count, number } from "../../../print/numbers.js";
import { html, type Markup, type Plot, type PlotDrawing } from "../markup.js";

/** The height of all ribbons in pixels: `each` for every status on the side with more statuses, but at most `most`. */
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

export function flowPlot({ flow }: Diff): Plot {
  const moved = flow.reduce((sum, { count }) => sum + count, 0);
  const [id, title] = ["flow", "Moves of kyc_status"];
  if (flow.length > MOST_RIBBONS) {
    const sentence = `${count(moved, "user")} went from the status of the row to the one of the column.`;
    return { id, title, sentence, shown: matrix(flow, statuses(flow, "from"), statuses(flow, "to")) };
  }
  return {
    id,
    title,
    sentence: `${count(moved, "user")} went from the status on the left to the one on the right.`,
    shown: {
      widths: [520, 340],
      draw: (width) => drawFlow(flow, moved, width),
      figures: {
        head: ["From", "To", "Users"],
        rows: flow.map(({ from, to, count }) => [String(from), String(to), count]),
      },
    },
  };
}

/**
 * How many users went from each status to each other one, in cells that are the stronger the more they were.
 * @param from, to the statuses of the rows and of the columns.
 */
function matrix(flow: readonly Flow[], from: readonly string[], to: readonly string[]): Markup {
  const most = Math.max(...flow.map(({ count }) => count));
  const sum = (of: (move: Flow) => boolean) => flow.reduce((total, move) => total + (of(move) ? move.count : 0), 0);
  const cell = (users: number) => {
    // By the root, so that few among many still differ.
    const strength = Math.ceil(STRENGTHS * Math.sqrt(users / most));
    return html`<td class="number strength${strength}">${users === 0 ? "" : number(users)}</td>`;
  };
  const total = (users: number) => html`<td class="number">${number(users)}</td>`;
  const row = (status: string) => html`<tr><th scope="row">${breakable(status)}</th>${to.map((column) =>
    cell(sum((move) => move.from === status && move.to === column)),
  )}${total(sum((move) => move.from === status))}</tr>
`;
  return html`<div class="figures matrix" tabindex="0" role="group" aria-labelledby="flow-title"><table>
<thead><tr><th scope="col">From, to</th>${to.map((status) => html`<th scope="col"><span>${breakable(status)}</span></th>`)}<th scope="col" class="number">All</th></tr></thead>
<tbody>${from.map(row)}</tbody>
<tfoot><tr><th scope="row">All</th>${to.map((status) => total(sum((move) => move.to === status)))}${total(sum(() => true))}</tr></tfoot>
</table></div>
`;
}

/** A status in which lines may break after each `_`. */
function breakable(status: string): Markup {
  return html`${status.split(/(?<=_)/).map((word, at) => html`${at === 0 ? undefined : html`<wbr>`}${word}`)}`;
}

/** A status on one side, with the users that leave it or come to it. */
interface Node {
  /** Its name, broken to fit beside the ribbons. */
  lines: readonly string[];
  users: number;
  /** Its upper edge and height, and how much of the height ribbons have used so far. */
  top: number;
  height: number;
  taken: number;
}

function drawFlow(flow: readonly Flow[], moved: number, width: number): PlotDrawing {
  const size = scaleLinear([0, moved], [0, sharedHeight(flow)]);
  const gap = Math.round(width * 0.31);
  const room = Math.floor((gap - BLOCK) / CHARACTER);
  const [left, right] = [stack(flow, "from", size, room), stack(flow, "to", size, room)];
  const height = Math.max(left.height, right.height);
  for (const { nodes, height: own } of [left, right]) for (const node of nodes.values()) node.top += (height - own) / 2;
  const curve = linkHorizontal<unknown, [number, number]>();
  const ribbons = inOrder(flow).map(({ from, to, count: users }) => {
    const wide = size(users);
    const source: [number, number] = [gap + BLOCK, take(left.nodes.get(String(from)), wide)];
    const target: [number, number] = [width - gap - BLOCK, take(right.nodes.get(String(to)), wide)];
    return html`<path class="ribbon" d="${curve({ source, target }) ?? ""}" stroke-width="${Math.max(THINNEST, wide).toFixed(1)}"><title>${String(from)} to ${String(to)}: ${number(users)}</title></path>
`;
  });
  const labels = [
    ...[...left.nodes.values()].map((node) => label(node, gap, "end")),
    ...[...right.nodes.values()].map((node) => label(node, width - gap, "start")),
  ];
  return { height, marks: [...ribbons, ...labels] };
}

function sharedHeight(flow: readonly Flow[]): number {
  const nodes = Math.max(statuses(flow, "from").length, statuses(flow, "to").length);
  return Math.min(SHARED.most, SHARED.each * nodes);
}

/** The statuses of one side, in the order of the contract. */
function statuses(flow: readonly Flow[], side: "from" | "to") {
  return KYC_STATUSES.filter((status) => flow.some((move) => move[side] === status));
}

/** The statuses of one side from top to bottom, with room for their texts. */
function stack(flow: readonly Flow[], side: "from" | "to", size: (users: number) => number, room: number) {
  const nodes = new Map<string, Node>();
  let bottom = 0;
  for (const status of statuses(flow, side)) {
    const users = flow.reduce((sum, move) => sum + (move[side] === status ? move.count : 0), 0);
    const lines = broken(status, room);
    const height = Math.max(THINNEST, size(users));
    const slot = height + (lines.length + 2) * LINE;
    nodes.set(status, { lines, users, top: bottom + (slot - height) / 2, height, taken: 0 });
    bottom += slot;
  }
  return { nodes, height: Math.ceil(bottom) };
}

/** Breaks a status after `_` into lines that fit: `NEED_P2P_` and `VERIFICATION`. */
function broken(status: string, room: number): string[] {
  const lines: string[] = [];
  for (const word of status.split(/(?<=_)/)) {
    const longer = `${lines.at(-1) ?? ""}${word}`;
    if (lines.length > 0 && longer.length <= room) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

/** Sorted like the statuses on both sides, so that ribbons cross as little as possible. */
function inOrder(flow: readonly Flow[]): Flow[] {
  const place = (status: Flow["from"]) => (KYC_STATUSES as readonly unknown[]).indexOf(status);
  return flow.toSorted((a, b) => place(a.from) - place(b.from) || place(a.to) - place(b.to));
}

/** The middle of the next free part of a node. */
function take(node: Node | undefined, wide: number): number {
  if (!node) return 0;
  node.taken += wide;
  return Number((node.top + node.taken - wide / 2).toFixed(1));
}

function label({ lines, users, top, height }: Node, edge: number, anchor: "start" | "end"): Markup {
  const [x, block] = anchor === "end" ? [edge - 6, edge] : [edge + 6, edge - BLOCK];
  const first = top + height / 2 - (lines.length * LINE) / 2 + 4;
  const at = (line: number) => (first + line * LINE).toFixed(1);
  return html`<rect class="changed" x="${block}" y="${top.toFixed(1)}" width="${BLOCK}" height="${height.toFixed(1)}"/>
${lines.map((text, line) => html`<text class="status" x="${x}" y="${at(line)}" text-anchor="${anchor}">${text}</text>\n`)}<text class="figure" x="${x}" y="${at(lines.length)}" text-anchor="${anchor}">${number(users)}</text>
`;
}
