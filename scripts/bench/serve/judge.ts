/** What was asked of the host. */
import { spread } from "../race.js";
import type { Verdict } from "../report.js";
import { FLEET, NGINX, POLKA_SIRV, ROLLCALL, WATCHED } from "./contestants.js";
import type { Lane } from "./lanes.js";
import type { Starts } from "./starts.js";
import { perCpuSecond, ratioOf } from "./tables.js";

/** Of nginx's requests a CPU second, by body; of all others this. */
const OF_NGINX: Readonly<Record<string, number>> = { "304": 0.7 };
const MOSTLY = 0.9;
const MB = 1024 * 1024;

export function judgeHosts(lanes: readonly Lane[], starts: Starts): Verdict[] {
  const cached = lanes.filter(({ host, served }) => host.name === ROLLCALL && !served.isLarge);
  const large = lanes.find(({ host, served }) => host.name === ROLLCALL && served.isLarge);
  const beside = (lane: Lane | undefined, name: string) => {
    return lanes.find(({ host, body }) => host.name === name && body === lane?.body);
  };
  const p99 = (lane: Lane | undefined) => spread((lane?.paced ?? []).map((one) => one.p99)).median;
  const verdicts = cached.flatMap((lane): Verdict[] => {
    const { name } = lane.body;
    const nginx = beside(lane, NGINX);
    const fleet = perCpuSecond(beside(lane, FLEET)) / perCpuSecond(lane);
    return [
      {
        what: `${name}: times the requests of polka + sirv`,
        atLeast: 5,
        measured: ratioOf(lane, beside(lane, POLKA_SIRV)),
      },
      {
        what: `${name}: of nginx's requests a CPU second`,
        atLeast: OF_NGINX[name] ?? MOSTLY,
        measured: perCpuSecond(lane) / perCpuSecond(nginx),
      },
      {
        what: `${name}: p99 at a constant rate, ms`,
        atMost: Math.max(2, p99(nginx) || 0),
        measured: p99(lane),
      },
      { what: `${name}: with --processes 2, of the requests a CPU second`, atLeast: 0.8, measured: fleet },
    ];
  });
  // Round by round: what disturbs a machine mostly lasts longer than two loads.
  const watched = cached.flatMap((lane) => {
    const others = beside(lane, WATCHED)?.loads ?? [];
    return lane.loads.flatMap(({ requests, cpu }, round) => {
      const other = others[round];
      return other ? other.requests / other.cpu / (requests / cpu) : [];
    });
  });
  return [
    ...verdicts,
    {
      what: "with --admin, of the requests a CPU second, in the median of all rounds",
      atLeast: 0.98,
      measured: spread(watched).median,
    },
    {
      what: "larger than the cache: of nginx's requests",
      atLeast: 0.5,
      measured: ratioOf(large, beside(large, NGINX)),
    },
    { what: "larger than the cache: p99 at a constant rate, ms", atMost: 20, measured: p99(large) },
    {
      what: "larger than the cache: times the requests of polka + sirv",
      atLeast: 2,
      measured: ratioOf(large, beside(large, POLKA_SIRV)),
    },
    {
      what: "larger than the cache: peak resident memory above it after 200,000 requests, MB",
      atMost: 150,
      measured: ((large?.server.peak() ?? Number.NaN) - (large?.served.cacheMb ?? 0) * MB) / 1e6,
    },
    {
      what: "10,000 pages: seconds from start to first answer",
      atMost: 1.5,
      measured: spread(starts.get(ROLLCALL) ?? []).median,
    },
  ];
}
