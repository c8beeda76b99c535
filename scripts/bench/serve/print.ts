/** The host's benchmark as text: a table a body. */
import type { Result, ServeReport } from "../serve.js";
import { NGINX, POLKA_SIRV } from "./contestants.js";

const HEADINGS = [
  ...["requests/s", "min", "max", "of nginx", "of polka+sirv"],
  ...["a CPU second", "p99 ms", "RSS MB", "failed"],
];

/** Tables, then what was missing. */
export function printServe({ machine, bodies, memory, missing }: ServeReport): string {
  const lines = [`${machine}; each server on one core, wrk -t1 -c64 on another, p99 under that full load`];
  for (const { name: body, bytes, results } of bodies) {
    const rateOf = (name: string) => results.find((result) => result.name === name)?.requests.median;
    const rows = results.map((result) => {
      const kept = memory.find((entry) => entry.name === result.name && entry.body === body);
      return [result.name, ...figures(result, rateOf), whole(kept?.megabytes), whole(result.failed)];
    });
    lines.push("", ...table([[`${body}, ${whole(bytes)} bytes an answer`, ...HEADINGS], ...rows]));
  }
  if (missing.length > 0) lines.push("", "Missing on this machine:", ...missing.map((what) => `  ${what}`));
  return `${lines.join("\n")}\n`;
}

function figures(
  { requests, perCpuSecond, p99 }: Result,
  rateOf: (name: string) => number | undefined,
): string[] {
  const { median, min, max } = requests;
  const ratio = (name: string) => ((median / (rateOf(name) ?? Number.NaN)) * 1).toFixed(2);
  return [
    ...[median, min, max].map(whole),
    ...[NGINX, POLKA_SIRV].map((name) => (rateOf(name) ? ratio(name) : "-")),
    ...[whole(perCpuSecond), p99.toFixed(1)],
  ];
}

function whole(value: number | undefined): string {
  return value === undefined || !Number.isFinite(value) ? "-" : Math.round(value).toLocaleString("en");
}

function table(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
      .join("  "),
  );
}
