/** How soon a host answers after it was started over the largest release. */
import type { Bench } from "../bench.js";
import type { Host } from "./contestants.js";
import { startHost } from "./lanes.js";
import type { Served } from "./releases.js";

/** Seconds of each start, by host. */
export type Starts = ReadonlyMap<string, readonly number[]>;

export async function timeStarts(
  hosts: readonly Host[],
  releases: readonly Served[],
  { isQuick, folder, say }: Bench,
): Promise<Starts> {
  const starts = new Map<string, number[]>();
  const times = isQuick ? 1 : 5;
  say("serve: starts");
  for (let round = 1; round <= times; round++) {
    for (const host of hosts.filter(({ isExtra }) => !isExtra)) {
      for (const served of releases.filter(({ isLarge }) => isLarge)) {
        const { server } = await startHost(host, served, folder);
        starts.set(host.name, [...(starts.get(host.name) ?? []), server.secondsToAnswer]);
        await server.end();
      }
    }
  }
  return starts;
}
