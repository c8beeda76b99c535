/** Real publishes killed at random moments: no page of an announced release is ever missing, and the next run finishes. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { run, start } from "../support/command.js";
import { plainRows } from "../support/database.js";
import { readTree, scratch } from "../support/files.js";
import { seeded } from "../support/random.js";
import { buildUsers, published } from "./releases.js";

const KILLS = 60;

test(`after each of ${KILLS} kills, and at every moment between`, { timeout: 300_000 }, async () => {
  const folder = scratch();
  const site = join(folder, "site");
  const rows = plainRows(400);
  // Each differs from the one before in the number of pages and in the bytes of all.
  const releases = [
    await buildUsers(folder, rows, { pageSize: 2, keep: 9 }),
    await buildUsers(folder, rows, { pageSize: 5, keep: 9, encodings: ["gzip"] }),
    await buildUsers(folder, rows.slice(200), { pageSize: 2, keep: 9 }),
  ];
  const counts = new Map(releases.map(({ id, pages }) => [id, pages]));
  const args = (turn: number) => {
    const { id } = releases[turn % releases.length] ?? { id: "" };
    return ["publish", site, join(folder, "dist"), "--release", id, "--quiet"];
  };

  await run(args(0));
  // How long the changes take here and now, beyond what a run takes that changes nothing.
  const [idle, whole] = [await timed(args(0)), await timed(args(1))];
  const reader = watch(site, counts);
  const random = seeded();
  const codes = new Map<number | string, number>();
  let leftAside = 0;
  let unfinished = 0;
  for (let turn = 2; turn < KILLS + 2; turn++) {
    const { child, ended } = start(args(turn));
    const over = ended.then(() => true);
    while (isComplete(site) && !(await Promise.race([sleep(1), over])));
    await Promise.race([sleep((whole - idle) * random.next()), ended]);
    child.kill("SIGKILL");
    const { code, stderr } = await ended;
    expect(stderr).toBe("");
    codes.set(code, (codes.get(code) ?? 0) + 1);
    if (asides(site) > 0) leftAside++;
    if (!isComplete(site)) unfinished++;
    // Now and then a whole run between, of the same release or of another.
    if (turn % 10 === 0) await finish(turn + (turn % 20 === 0 ? 1 : 0));
  }
  const checks = await reader.stop();
  // The test is worth something only if kills fell into the changes, and the reader was there.
  expect(codes.get("SIGKILL")).toBeGreaterThan(KILLS / 6);
  expect(unfinished).toBeGreaterThan(KILLS / 10);
  expect(leftAside).toBeGreaterThan(0);
  expect(checks).toBeGreaterThan(KILLS);
  for (const turn of [0, 1, 2]) await finish(turn);

  async function finish(turn: number) {
    expect(await run(args(turn))).toEqual({ code: 0, stdout: "", stderr: "" });
    expect(published(site)).toEqual(readTree(releases[turn % releases.length]?.folder ?? ""));
    expect(isComplete(site)).toBe(true);
  }
});

async function timed(args: readonly string[]): Promise<number> {
  const began = performance.now();
  expect(await run(args)).toEqual({ code: 0, stdout: "", stderr: "" });
  return performance.now() - began;
}

/** Follows snapshot.json over and over: every page that it promises is there and is JSON, until it says otherwise. */
function watch(site: string, counts: ReadonlyMap<string, number>) {
  let isStopped = false;
  const snapshot = (): { id: string } => JSON.parse(readFileSync(join(site, "snapshot.json"), "utf8"));
  const watching = (async () => {
    let checks = 0;
    for (; !isStopped; checks++) {
      const { id } = snapshot();
      const missing: number[] = [];
      for (let page = 1; page <= (counts.get(id) ?? 0); page++) {
        const text = findText(join(site, `api/users/pages/${page}.json`));
        if (text === undefined) missing.push(page);
        else expect(Object.keys(JSON.parse(text))).toEqual(["count", "next", "previous", "results"]);
      }
      // Pages go once another release is announced.
      if (snapshot().id === id) expect([id, missing]).toEqual([id, []]);
      await sleep(1);
    }
    return checks;
  })();
  return {
    stop: () => {
      isStopped = true;
      return watching;
    },
  };
}

function findText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}

function asides(site: string): number {
  return readdirSync(site, { recursive: true, encoding: "utf8" }).filter((name) => name.includes(".rollcall-new-"))
    .length;
}

function isComplete(site: string): boolean {
  return JSON.parse(readFileSync(join(site, ".rollcall-published.json"), "utf8")).complete;
}
