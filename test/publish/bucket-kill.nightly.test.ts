/** Real publishes to a bucket killed at random moments: the next one completes, and no reader misses a page. */
import { expect, test } from "vitest";
import { start } from "../support/command.js";
import { seeded } from "../support/random.js";
import { pause } from "../support/time.js";
import { newSetting } from "./setting.js";

test("completes after runs that were killed at any moment", { timeout: 200_000 }, async () => {
  const setting = await newSetting();
  await setting.finish(0);
  const reader = setting.watch();
  const random = seeded();
  let killed = 0;
  for (let turn = 1; turn <= 12; turn++) {
    setting.store.fault = () => (random.chance(0.05) ? { until: pause(150) } : undefined);
    const from = setting.store.seen.length;
    const changes = 1 + random.below(50);
    const { child, ended } = start(setting.args(turn), { env: setting.env });
    const over = ended.then(() => true);
    const count = () => setting.store.seen.slice(from).filter((line) => /^(PUT|DELETE)/.test(line)).length;
    while (count() < changes && !(await Promise.race([pause(1), over])));
    child.kill("SIGKILL");
    const { code, stderr } = await ended;
    expect(stderr).toBe("");
    if (code === "SIGKILL") killed++;
    if (turn % 4 === 0) await setting.finish(turn + (turn % 8 === 0 ? 1 : 0));
  }
  for (const turn of [0, 1, 2]) await setting.finish(turn);
  expect(killed).toBeGreaterThan(5);
  expect(await reader.stop()).toBeGreaterThan(5);
});
