/** What hosts did, as tables: one a body, one of a constant rate, one of starts. */
import { spread } from "../race.js";
import { type Figures, fixed } from "../report.js";
import { NGINX, POLKA_SIRV } from "./contestants.js";
import type { Lane } from "./lanes.js";
import type { Starts } from "./starts.js";

const HEAD = [
  ...["requests/s (median)", "min-max", "of nginx", "of polka + sirv"],
  ...["a CPU second", "p99 ms", "RSS, MB", "failed"],
];

export function hostTables(lanes: readonly Lane[], starts: Starts, rate: number): Figures[] {
  const bodies = [...new Set(lanes.map(({ body }) => body))];
  const tables = bodies.map((body) => {
    const here = lanes.filter((lane) => lane.body === body);
    const sizes = here.map(({ loads }) => spread(loads.map(({ bytes, requests }) => bytes / requests)).median);
    const title = `Serving ${body.name}, ${fixed(Math.max(...sizes))} bytes an answer, as much as each takes`;
    return { title, head: ["host", ...HEAD], rows: here.map((lane) => toRow(lane, here)) };
  });
  const largest = Math.max(...lanes.map(({ served }) => served.pages));
  return [...tables, pacedTable(lanes, rate), startTable(starts, largest)].filter(({ rows }) => rows.length > 0);
}

/** How many times the requests of another it answered: the median of the rounds' ratios. */
export function ratioOf(lane: Lane | undefined, other: Lane | undefined): number {
  const ratios = (lane?.loads ?? []).flatMap((load, round) => {
    const beside = other?.loads[round];
    return beside ? [rateOf(load) / rateOf(beside)] : [];
  });
  return spread(ratios).median;
}

function rateOf({ requests, seconds }: { requests: number; seconds: number }): number {
  return requests / seconds;
}

/** Requests for each second of CPU that the server used: what a busy machine disturbs least. */
export function perCpuSecond(lane: Lane | undefined): number {
  return spread((lane?.loads ?? []).map(({ requests, cpu }) => requests / cpu)).median;
}

function toRow(lane: Lane, others: readonly Lane[]): string[] {
  const { min, median, max } = spread(lane.loads.map(rateOf));
  const beside = (name: string) =>
    fixed(
      ratioOf(
        lane,
        others.find(({ host }) => host.name === name),
      ),
    );
  return [
    lane.host.name,
    fixed(median),
    `${fixed(min)}-${fixed(max)}`,
    ...[NGINX, POLKA_SIRV].map(beside),
    fixed(perCpuSecond(lane)),
    fixed(spread(lane.loads.map(({ p99 }) => p99)).median),
    fixed(lane.server.memory() / 1e6),
    `${lane.loads.reduce((sum, { failed }) => sum + failed, 0)}`,
  ];
}

function pacedTable(lanes: readonly Lane[], rate: number): Figures {
  const rows = lanes
    .filter(({ paced }) => paced.length > 0)
    .map(({ host, body, paced }) => {
      const middle = (key: "rate" | "p50" | "p99" | "max") => fixed(spread(paced.map((one) => one[key])).median);
      const { min, max } = spread(paced.map(({ p99 }) => p99));
      return [
        `${body.name}: ${host.name}`,
        middle("rate"),
        middle("p50"),
        middle("p99"),
        `${fixed(min)}-${fixed(max)}`,
        middle("max"),
      ];
    });
  return {
    title: `Delay at ${fixed(rate)} requests a second, milliseconds`,
    head: ["body and host", "answered a second", "p50", "p99 (median)", "min-max", "longest"],
    rows,
  };
}

function startTable(starts: Starts, pages: number): Figures {
  const rows = [...starts].map(([name, seconds]) => {
    const { min, median, max } = spread(seconds);
    return [name, fixed(median), `${fixed(min)}-${fixed(max)}`];
  });
  return {
    title: `From start to first answer, ${fixed(pages)} pages`,
    head: ["host", "seconds (median)", "min-max"],
    rows,
  };
}
