/** `rollcall forget`, killed at any moment. */
import { existsSync, readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { findDamage, openRelease } from "../../src/core/release/open.js";
import { start } from "../support/command.js";
import { seeded } from "../support/random.js";
import { pause } from "../support/time.js";
import { age, twoReleases } from "./forgetting.js";

test("a killed forget leaves the whole release or none of it", async () => {
  const random = seeded();
  const { cwd, dist, old, make } = await twoReleases(600);
  let { folder, id } = old;
  for (let turn = 0; turn < 6; turn++) {
    if (!existsSync(folder)) {
      ({ folder, id } = await make(600));
      await make(599);
      age(folder);
    }
    const { child, ended } = start(["forget", id], { cwd });
    await Promise.race([ended, pause(100 + random.below(700))]);
    child.kill("SIGKILL");
    await ended;
    if (existsSync(folder)) expect(await findDamage(await openRelease(folder))).toBeUndefined();
  }
  await make(600);
  expect(readdirSync(dist).filter((name) => name.startsWith(".trash"))).toEqual([]);
});
