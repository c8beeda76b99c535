/** Rollcall's host against others, on one core, all in one interleaved run. */
import { mkdtemp, rm } from "node:fs/promises";
import { availableParallelism, cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "../../src/build/build.js";
import { sampleUsers } from "../sample/users.js";
import { writeUsers } from "../sample/write.js";
import { CONTESTANTS, type Contestant, isInstalled } from "./serve/contestants.js";
import { type Body, type Load, load, writeRequests } from "./serve/load.js";
import { freePort, type Server, startServer } from "./serve/servers.js";

export interface ServeReport {
  machine: string;
  bodies: { name: string; bytes: number; results: Result[] }[];
  memory: { name: string; body: string; megabytes: number }[];
  /** What could not be measured here, and why. */
  missing: string[];
}

export interface Result {
  name: string;
  /** A second: the median of the rounds, the lowest and the highest. */
  requests: { median: number; min: number; max: number };
  /** Requests for each second of CPU that the server used: what a busy machine disturbs least. */
  perCpuSecond: number;
  /** Milliseconds under full load, the median of the rounds. */
  p99: number;
  /** Answers that were errors, and connections that broke. */
  failed: number;
}

const BODIES: readonly Body[] = [
  { name: "identity", pageSize: 100 },
  { name: "gzip", pageSize: 100, isGzip: true },
  { name: "304", pageSize: 100, isKnown: true },
  { name: "one user a page", pageSize: 1 },
  { name: "identity, larger than the cache", pageSize: 100, isBeyondCache: true },
];

const FULL = { users: { 100: 100_000, 1: 2_000 }, seconds: 3, rounds: 3, warmUp: 1, smallCache: 8 } as const;
const QUICK = { users: { 100: 2_000, 1: 200 }, seconds: 1, rounds: 1, warmUp: 0, smallCache: 0 } as const;
/** Megabytes: everything fits. The small ones are a tenth of the release of 85 MB, and nothing of the quick one. */
const CACHE = 256;

interface Lane {
  body: Body;
  contestant: Contestant;
  port: number;
  server: Server;
  requests: string;
  loads: (Load & { cpu: number })[];
}

/** Measures everyone, some 8 minutes; `quick` only shows that it works, in under 20 seconds. */
export async function benchServe({ quick }: { quick: boolean }): Promise<ServeReport> {
  const missing: string[] = [];
  const machine = `${availableParallelism()} cores, ${cpus()[0]?.model.trim() ?? "unknown"}, Node ${process.version}`;
  if (!isInstalled("taskset")) missing.push("taskset: nothing is pinned to a core");
  if (!isInstalled("wrk")) return { machine, bodies: [], memory: [], missing: [...missing, "wrk: no load"] };
  const present = CONTESTANTS.filter(({ name, program, isExtra }) => {
    if (program && !isInstalled(program)) missing.push(`${name}: not available`);
    return (!program || isInstalled(program)) && !(quick && isExtra);
  });
  const scale = quick ? QUICK : FULL;
  const scratch = await mkdtemp(join(tmpdir(), "rollcall-bench-"));
  const lanes: Lane[] = [];
  try {
    const releases = { 100: await makeRelease(scratch, 100, scale), 1: await makeRelease(scratch, 1, scale) };
    for (const body of BODIES) {
      for (const contestant of present) {
        if (body.isBeyondCache && contestant.isExtra) continue;
        lanes.push(
          await open(body, contestant, releases[body.pageSize === 1 ? 1 : 100], scratch, lanes, scale),
        );
      }
    }
    await race(lanes, scale);
    return { machine, ...summarise(lanes), missing };
  } finally {
    const servers = new Set(lanes.map(({ server }) => server));
    await Promise.all([...servers].map((server) => server.end()));
    await rm(scratch, { recursive: true, force: true });
  }
}

interface Made {
  folder: string;
  pages: number;
}

async function makeRelease(
  scratch: string,
  pageSize: 1 | 100,
  { users }: typeof FULL | typeof QUICK,
): Promise<Made> {
  const db = join(scratch, `${pageSize}.sqlite`);
  writeUsers(sampleUsers(users[pageSize], 1), db, { force: false });
  const encodings = ["gzip"] as const;
  const out = join(scratch, `dist-${pageSize}`);
  // No workers: they are started from compiled files, and this runs from source.
  const options = { baseUrl: "http://127.0.0.1:8080", pageSize, encodings: [...encodings], workers: 0 };
  return build({ db, out, ...options });
}

/** One contestant, one body; bodies of one release share a server. */
async function open(
  body: Body,
  contestant: Contestant,
  { folder, pages }: Made,
  scratch: string,
  lanes: readonly Lane[],
  { smallCache }: typeof FULL | typeof QUICK,
): Promise<Lane> {
  const like = lanes.find((lane) => lane.contestant === contestant && sameServer(lane.body, body));
  const port = like?.port ?? (await freePort());
  const cacheMb = body.isBeyondCache ? smallCache : CACHE;
  const own = join(scratch, `${lanes.length}`);
  const server =
    like?.server ?? (await startServer(contestant.command({ folder, port, scratch: own, cacheMb }), port));
  const requests = join(scratch, `${lanes.length}.requests`);
  await writeRequests(requests, contestant, body, port, pages);
  return { body, contestant, port, server, requests, loads: [] };
}

function sameServer(one: Body, other: Body): boolean {
  return one.pageSize === other.pageSize && one.isBeyondCache === other.isBeyondCache;
}

async function race(lanes: Lane[], { rounds, seconds, warmUp }: typeof FULL | typeof QUICK): Promise<void> {
  if (warmUp) for (const { requests, port } of lanes) await load(requests, port, warmUp);
  for (let round = 0; round < rounds; round++) {
    for (const { server, requests, port, loads } of lanes) {
      const before = server.cpu();
      const result = await load(requests, port, seconds);
      loads.push({ ...result, cpu: server.cpu() - before });
    }
  }
}

function summarise(lanes: readonly Lane[]): Pick<ServeReport, "bodies" | "memory"> {
  const bodies = BODIES.map((body) => {
    const here = lanes.filter((lane) => lane.body === body);
    const bytes = Math.max(...here.map(({ loads }) => median(loads.map((one) => one.bytes / one.requests))));
    return { name: body.name, bytes, results: here.map(toResult) };
  });
  const memory = lanes.map(({ contestant, body, server }) => ({
    name: contestant.name,
    body: body.name,
    megabytes: server.memory() / 1e6,
  }));
  return { bodies, memory };
}

function toResult({ contestant, loads }: Lane): Result {
  const rates = loads.map(({ requests, seconds }) => requests / seconds);
  return {
    name: contestant.name,
    requests: { median: median(rates), min: Math.min(...rates), max: Math.max(...rates) },
    perCpuSecond: median(loads.map(({ requests, cpu }) => requests / cpu)),
    p99: median(loads.map(({ p99 }) => p99)),
    failed: loads.reduce((sum, { failed }) => sum + failed, 0),
  };
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
