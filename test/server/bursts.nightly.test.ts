/** Switches `current` many times within milliseconds. Afterwards, the server serves what is current. */

import { expect, test } from "vitest";
import { scratch } from "../support/files.js";
import { seeded } from "../support/random.js";
import { releaseOf } from "../support/served.js";
import { pause } from "../support/time.js";
import { eventually } from "../support/until.js";
import { publish, switchTo, writeRelease } from "./release.js";
import { ask, serving } from "./running.js";

const BURSTS = 60;
const WITHIN_MS = 300;

test(`${BURSTS} bursts of switches end where the link points`, async () => {
  const random = seeded();
  const dist = scratch();
  const folders = [await publish(dist, { bio: "0" })];
  for (const bio of ["1", "2", "3"]) folders.push(await writeRelease(dist, { bio }));
  const { server, port } = await serving({}, { dist });
  let current = 0;
  for (let burst = 1; burst <= BURSTS; burst++) {
    const switches = 3 + Math.floor(random.next() * 4);
    for (let at = 0; at < switches; at++) {
      current = (current + 1 + Math.floor(random.next() * (folders.length - 1))) % folders.length;
      await switchTo(dist, folders[current] ?? "");
      await pause((random.next() * WITHIN_MS) / switches);
    }
    const expected = folders[current]?.slice(-12) ?? "";
    const served = async () => [releaseOf(server).folder.slice(-12), await idAt(port)];
    await eventually(async () => expect(await served(), `burst ${burst}`).toEqual([expected, expected]));
  }
});

async function idAt(port: number): Promise<string> {
  const { status, headers } = await ask(port, "/api/users/?page=1");
  return status === 200 ? `${headers["snapshot-id"]}` : `status ${status}`;
}
