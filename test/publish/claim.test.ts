/** Two runs and one bucket: one of them is refused, and one that has ended is followed by the next. */
import { setTimeout as sleep } from "node:timers/promises";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { parseAddress } from "../../src/publish/bucket/address.js";
import { Claim, type Pulse } from "../../src/publish/bucket/claim.js";
import { Store } from "../../src/publish/bucket/store.js";
import type { Owned } from "../../src/publish/owned.js";
import { BUCKET, STORE_ENV, type StoreServer, startStore } from "./store.js";

const QUICK: Pulse = { beat: 40, dead: 600, look: 100 };
const DONE: Owned = {
  rollcall: 1,
  release: "0123456789ab",
  complete: true,
  pages: 1,
  variants: ["identity"],
  others: [],
};
const BEGUN: Owned = { ...DONE, complete: false };
const TAKEN = "s3://bucket/dir is being published to by another run";

let server: StoreServer;

beforeEach(() => {
  for (const [name, value] of Object.entries(STORE_ENV)) vi.stubEnv(name, value);
  return () => vi.unstubAllEnvs();
});

/** A run of a machine of its own, which has read the list. */
async function newRun(pulse = QUICK): Promise<Claim> {
  const address = parseAddress(`s3://${BUCKET}/dir`);
  const claim = new Claim(await Store.open(address, server.endpoint), address.name, pulse);
  await claim.read();
  return claim;
}

describe("on a store that heeds conditions", () => {
  beforeEach(async () => {
    server = await startStore();
  });

  test("of two that begin together only one does, on an empty bucket and on one that is there", async () => {
    for (let turn = 0; turn < 2; turn++) {
      const runs = [await newRun(), await newRun(), await newRun()];
      const begun = await Promise.allSettled(runs.map((run) => run.begin(BEGUN)));
      expect(begun.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
      for (const result of begun)
        if (result.status === "rejected") expect(result.reason.message).toContain(TAKEN);
      await runs[begun.findIndex(({ status }) => status === "fulfilled")]?.end(DONE);
      expect(await (await newRun()).read()).toEqual(DONE);
    }
  });

  test("one that began before another ended is refused, though nothing looks different", async () => {
    const [slow, quick] = [await newRun(), await newRun()];
    await quick.begin(BEGUN);
    await quick.end(DONE);
    await expect(slow.begin(BEGUN)).rejects.toThrow(TAKEN);
  });

  test("a run that lives is waited for in vain; one that does not is followed", async () => {
    const living = await newRun();
    await living.begin(BEGUN);
    const next = await newRun();
    const waits: number[] = [];
    await expect(next.outwait((milliseconds) => waits.push(milliseconds))).rejects.toThrow(TAKEN);
    expect(waits).toEqual([QUICK.dead]);
    living.stop();
    await living.confirm();
    await next.read();
    await next.outwait(() => {});
    await next.begin(BEGUN);
    await next.end(DONE);
  });

  test("a run that was taken for dead finds out, before it announces anything", async () => {
    const frozen = await newRun({ ...QUICK, beat: 60_000 });
    await frozen.begin(BEGUN);
    frozen.check();
    const next = await newRun();
    await next.begin(BEGUN);
    await expect(frozen.confirm()).rejects.toThrow(TAKEN);
    expect(() => frozen.check()).toThrow(TAKEN);
    await expect(frozen.end(DONE)).rejects.toThrow(TAKEN);
    await next.confirm();
    await next.end(DONE);
  });

  test("a run that cannot show that it lives stops before anybody else begins", async () => {
    const cut = await newRun();
    await cut.begin(BEGUN);
    await sleep(QUICK.dead);
    cut.check();
    server.fault = () => "hang";
    await vi.waitFor(() => expect(() => cut.check()).toThrow("could not be reached for"), QUICK.dead);
    cut.stop();
  });

  test("a write whose answer got lost counts as this run's own", async () => {
    const run = await newRun();
    let lost = 0;
    server.fault = (method) => (method === "PUT" && lost++ === 0 ? "lose answer" : undefined);
    await run.begin(BEGUN);
    expect(lost).toBe(2);
    await run.confirm();
    lost = 0;
    await run.end(DONE);
    expect(await (await newRun()).read()).toEqual(DONE);
  });

  test("a sign of life that landed though it seemed to fail is no other run's", async () => {
    const run = await newRun({ ...QUICK, beat: 60_000, dead: 60_000 });
    await run.begin(BEGUN);
    // Every try lands or not, but no answer arrives: the run gives this beat up.
    server.fault = (method) => (method === "PUT" ? "lose answer" : undefined);
    await run.confirm();
    server.fault = () => undefined;
    await run.confirm();
    await run.end(DONE);
    expect(await (await newRun()).read()).toEqual(DONE);
  }, 30_000);

  test("a store that refuses conditions altogether is written without", async () => {
    const run = await newRun();
    let refused = 0;
    server.fault = (method) =>
      method === "PUT" && refused++ % 2 === 0 ? { status: 501, code: "NotImplemented" } : undefined;
    await run.begin(BEGUN);
    await run.end(DONE);
    expect(await (await newRun()).read()).toEqual(DONE);
  });
});

test("on a store that ignores conditions the earlier of two finds out at its next sign of life", async () => {
  server = await startStore({ conditions: false });
  const [earlier, later] = [await newRun({ ...QUICK, beat: 60_000 }), await newRun()];
  await earlier.begin(BEGUN);
  await later.begin(BEGUN);
  await expect(earlier.confirm()).rejects.toThrow(TAKEN);
  await later.confirm();
  await later.end(DONE);
});
