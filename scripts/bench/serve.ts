/** Rollcall's host against others, on one core, all in one interleaved run. */
import type { Bench, Part } from "./bench.js";
import { isInstalled } from "./machine.js";
import { HOSTS, type Host, NGINX, ROLLCALL } from "./serve/contestants.js";
import { judgeHosts } from "./serve/judge.js";
import { exhaust, type Lane, openLanes, paceLanes, raceLanes } from "./serve/lanes.js";
import { HAS_BROTLI } from "./serve/nginx.js";
import { installNpmHosts } from "./serve/npm-hosts.js";
import { makeReleases } from "./serve/releases.js";
import { timeStarts } from "./serve/starts.js";
import { hostTables } from "./serve/tables.js";

/** Requests a second: what both hosts answer with ease. */
const RATE = 5_000;
/** Random requests to a release that is larger than the cache, after which its host's memory is read. */
const REQUESTS = 200_000;

export const benchServe: Part = async (bench) => {
  const { isQuick, folder, say } = bench;
  if (!isInstalled("wrk")) {
    return { tables: [], verdicts: [], missing: ["wrk: install it to load hosts with"], figures: [] };
  }
  if (bench.installsHosts) installNpmHosts(folder);
  const { present, missing } = look(isQuick);
  const releases = await makeReleases(bench);
  const lanes: Lane[] = [];
  try {
    for (const host of present) {
      for (const served of releases.filter(({ isLarge }) => !(isLarge && host.isExtra))) {
        try {
          lanes.push(...(await openLanes(host, served, folder)));
        } catch (error) {
          // Of another version maybe, that answers otherwise; the rest is to be measured all the same.
          if (!host.isExtra || !(error instanceof Error)) throw error;
          missing.push(`${host.name}: ${error.message}`);
        }
      }
    }
    await measure(lanes, bench);
    const starts = await timeStarts(present, releases, bench);
    const figures = lanes.map(({ host, body, loads, paced, server }) => {
      return { host: host.name, body: body.name, loads, paced, memory: server.memory(), peak: server.peak() };
    });
    return {
      tables: hostTables(lanes, starts, RATE),
      verdicts: judgeHosts(lanes, starts),
      missing: [...missing, ...endings(lanes)],
      figures: { lanes: figures, starts: Object.fromEntries(starts) },
    };
  } finally {
    say("  ending servers");
    await Promise.all([...new Set(lanes.map(({ server }) => server))].map((server) => server.end()));
  }
};

/** Of hosts that did not bear the load. */
function endings(lanes: readonly Lane[]): string[] {
  return lanes.flatMap(({ host, server }) => {
    const ending = server.ending();
    return ending === undefined ? [] : [`${host.name} ${ending.trim().replaceAll(/\s+/g, " ").slice(0, 200)}`];
  });
}

function look(isQuick: boolean): { present: Host[]; missing: string[] } {
  const wanted = HOSTS.filter(({ isExtra }) => !(isQuick && isExtra));
  const absent = wanted.filter(({ program }) => program && !isInstalled(program.name));
  const missing = absent.map(({ name, program }) => `${name}: ${program?.advice}`);
  if (!HAS_BROTLI) missing.push("nginx's brotli: install libnginx-mod-http-brotli-static");
  if (!isInstalled("taskset")) missing.push("taskset: nothing is pinned to a core without it");
  return { present: wanted.filter((host) => !absent.includes(host)), missing };
}

/** Full load, then a given rate beside nginx, then many requests to what cannot be kept. */
async function measure(lanes: readonly Lane[], { isQuick, rounds, say }: Bench): Promise<void> {
  const times = rounds ?? (isQuick ? 1 : 3);
  const seconds = isQuick ? 1 : 2;
  say(`serve: ${lanes.length} pairs of host and body`);
  await raceLanes(lanes, { rounds: times, seconds, warmsUp: !isQuick, say });
  say(`serve: ${RATE.toLocaleString("en")} requests a second`);
  const calm = lanes.filter(({ host }) => [ROLLCALL, NGINX].includes(host.name));
  await paceLanes(calm, times, RATE, isQuick ? 0.2 : 3);
  const own = lanes.find(({ host, served }) => host.name === ROLLCALL && served.isLarge);
  if (!own || isQuick) return;
  say(`serve: ${REQUESTS.toLocaleString("en")} requests to a release larger than the cache`);
  await exhaust(own, REQUESTS, seconds);
}
