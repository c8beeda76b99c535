/** A thousand shards by processes that die, stop and repeat each other, and joins at once: one whole release, or none. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync, readdirSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { build } from "rollcall";
import { expect, test } from "vitest";
import { findDamage, openIfWhole } from "../../src/release/open.js";
import { run, start, whenEnded } from "../support/command.js";
import { plainRows, writeUsers } from "../support/database.js";
import { scratch } from "../support/files.js";
import { seeded } from "../support/random.js";
import { pause } from "../support/time.js";

const SHARDS = 1000;
/** Shards that a process makes one after the other: a process for each would only start Node a thousand times. */
const TOGETHER = 20;
const AT_ONCE = 4;
const baseUrl = "https://directory.example.com";

/** A machine that is given numbers. */
const MACHINE = `
  import { buildShard } from ${JSON.stringify(new URL("../../lib/snapshot/shards/shard.js", import.meta.url).href)};
  const [options, ...numbers] = process.argv.slice(1);
  for (const number of numbers) await buildShard({ ...JSON.parse(options), shard: \`\${number}/${SHARDS}\` });
`;

test("always one whole release or none", { timeout: 600_000 }, async () => {
  const random = seeded();
  const folder = scratch();
  const db = writeUsers(join(folder, "users.sqlite"), plainRows(2500));
  const [dist, parts] = [join(folder, "dist"), join(folder, "parts")];
  const options = { db, baseUrl, dist, pageSize: 2, lookup: true, encodings: ["gzip"] as ["gzip"] };
  const one = await build({ ...options, dist: join(folder, "one") });

  const flags = ["build", "--db", db, "--base-url", baseUrl, "--out", dist, "--page-size", "2", "--lookup"];
  const joining = [...flags, "--compress", "gzip", "--join", parts, "--quiet"];
  /** Nothing is current, or all of it is. */
  const look = async () => {
    const current = join(dist, "current");
    if (!existsSync(current)) return false;
    const release = await openIfWhole(join(dist, readlinkSync(current)));
    expect(release?.snapshot.id).toBe(one.id);
    expect(release && (await findDamage(release))).toBe(undefined);
    return true;
  };

  const outcomes = { killed: 0, stopped: 0, repeated: 0, early: 0 };
  const waiting = Array.from({ length: SHARDS }, (_, number) => number).sort(() => random.next() - 0.5);
  const machine = async (): Promise<void> => {
    for (let numbers = waiting.splice(0, TOGETHER); numbers.length > 0; numbers = waiting.splice(0, TOGETHER)) {
      // Some are made by two machines at once.
      if (random.chance(0.2)) {
        outcomes.repeated++;
        waiting.unshift(...numbers);
      }
      const args = [
        "--input-type=module",
        "-e",
        MACHINE,
        JSON.stringify({ ...options, parts }),
        ...numbers.map(String),
      ];
      const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
      const ended = whenEnded(child);
      await disturb(child, ended);
      const { code, stderr } = await ended;
      expect(stderr).toBe("");
      expect([0, "SIGKILL"]).toContain(code);
      if (code !== 0) waiting.push(...numbers);
    }
  };
  const disturb = async (child: ChildProcess, ended: Promise<unknown>) => {
    const [what, moment] = [random.next(), 200 + random.below(900)];
    if (what > 0.45) return;
    await Promise.race([pause(moment), ended]);
    if (what < 0.25) outcomes.killed += Number(child.kill("SIGKILL"));
    else {
      outcomes.stopped += Number(child.kill("SIGSTOP"));
      await pause(random.below(1500));
      child.kill("SIGCONT");
    }
  };
  const machines = Promise.all(Array.from({ length: AT_ONCE }, machine));
  let isMaking = true;
  const stop = () => {
    isMaking = false;
  };
  void machines.then(stop, stop);
  const made = () => (existsSync(parts) ? readdirSync(parts).filter((name) => !name.startsWith(".")) : []);
  // Somebody joins too early, again and again.
  while (isMaking) {
    const { code } = await run(joining);
    // Machines that repeat shards may be at work when all are there.
    if (made().length < SHARDS) {
      expect([code, await look()]).toEqual([1, false]);
      outcomes.early++;
    }
    await Promise.race([pause(3000), machines]);
  }
  await machines;
  expect(Math.min(...Object.values(outcomes)), JSON.stringify(outcomes)).toBeGreaterThan(0);
  expect(made()).toHaveLength(SHARDS);

  // Two joins at once, of which one or both die.
  for (let round = 0; round < 5; round++) {
    const two = [start(joining), start(joining)];
    for (const { child } of two) void pause(300 + random.below(1500)).then(() => child.kill("SIGKILL"));
    for (const { ended } of two) expect([0, 1, "SIGKILL"]).toContain((await ended).code);
    await look();
  }
  const codes = (await Promise.all([run(joining), run(joining)])).map(({ code }) => code);
  expect(codes).toContain(0);
  expect(await look()).toBe(true);
  execFileSync("diff", ["-r", one.folder, join(dist, readlinkSync(join(dist, "current")))]);
});
