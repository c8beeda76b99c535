/** Each host over each release, with what is asked of it, and the rounds in which they are loaded in turn. */
import { join } from "node:path";
import { type Host, pathOf } from "./contestants.js";
import { type Body, type Load, load, type PacedLoad, pace, writeRequests } from "./load.js";
import type { Served } from "./releases.js";
import { freePort, type Server, startServer } from "./servers.js";

export interface Lane {
  host: Host;
  body: Body;
  served: Served;
  port: number;
  server: Server;
  /** The file of requests. */
  requests: string;
  /** A load a round. */
  loads: (Load & { cpu: number })[];
  /** The same at a rate that is given. */
  paced: PacedLoad[];
}

/** Starts a host over a release, in front of its bodies. */
export async function openLanes(host: Host, served: Served, scratch: string): Promise<Lane[]> {
  const { server, port } = await startHost(host, served, scratch);
  const bodies = served.bodies.filter(({ coding }) => coding !== "br" || !host.lacksBrotli);
  return Promise.all(
    bodies.map(async (body) => {
      const requests = join(scratch, `${port} ${body.name}.requests`);
      await writeRequests(requests, host, body, { port, pages: served.pages });
      return { host, body, served, port, server, requests, loads: [], paced: [] };
    }),
  );
}

export async function startHost(
  host: Host,
  { folder, cacheMb }: Served,
  scratch: string,
): Promise<{ server: Server; port: number }> {
  const port = await freePort();
  const command = host.command({ folder, port, cacheMb, scratch: join(scratch, `${port}`) });
  return { server: await startServer(command, `http://127.0.0.1:${port}${pathOf(host, 1)}`), port };
}

export interface Rounds {
  rounds: number;
  /** Of each load. */
  seconds: number;
  /** First a load that does not count: what is kept of each page, a host has then. */
  warmsUp: boolean;
  say(line: string): void;
}

/** As much as each takes, round after round. */
export async function raceLanes(lanes: readonly Lane[], { rounds, seconds, warmsUp, say }: Rounds): Promise<void> {
  if (warmsUp) for (const lane of lanes) await warmUp(lane);
  for (let round = 1; round <= rounds; round++) {
    say(`  round ${round} of ${rounds}`);
    for (const lane of lanes.filter(({ server }) => server.ending() === undefined)) await loadLane(lane, seconds);
  }
}

/** Asks for each page three times, on average: so 95 in 100 are asked for at all. */
async function warmUp({ requests, port, served }: Lane): Promise<void> {
  for (let asked = 0; asked < 3 * served.pages; ) asked += (await load(requests, port, 1)).requests;
}

async function loadLane({ host, server, requests, port, loads }: Lane, seconds: number): Promise<void> {
  const before = server.cpu();
  const result = await load(requests, port, seconds).catch((error) => {
    // Some hosts do not bear the load, and that is a finding too.
    if (!host.isExtra || server.ending() === undefined) throw error;
  });
  if (result && server.ending() === undefined) loads.push({ ...result, cpu: server.cpu() - before });
}

/** All at one rate, round after round. */
export async function paceLanes(lanes: readonly Lane[], rounds: number, rate: number, seconds: number): Promise<void> {
  for (let round = 1; round <= rounds; round++) {
    for (const { requests, port, paced } of lanes) paced.push(await pace(requests, port, rate, seconds));
  }
}

/** Goes on until a lane has had so many requests in all. */
export async function exhaust(lane: Lane, total: number, seconds: number): Promise<void> {
  while (lane.loads.reduce((sum, { requests }) => sum + requests, 0) < total) await loadLane(lane, seconds);
}
