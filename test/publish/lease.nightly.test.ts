/** Two runs and one bucket: one of them is refused, and one that has ended is followed by the next. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { parseAddress } from "../../src/publish/bucket/address.js";
import { Bucket } from "../../src/publish/bucket/bucket.js";
import { History } from "../../src/publish/bucket/history.js";
import { type Heartbeat, Lease } from "../../src/publish/bucket/lease.js";
import { ObjectStore } from "../../src/publish/bucket/store.js";
import type { Owned } from "../../src/publish/owned.js";
import { sha256 } from "../../src/release/files.js";
import { scratch } from "../support/files.js";
import { pause } from "../support/time.js";
import { eventually } from "../support/until.js";
import type { Fault } from "./proxy.js";
import { BUCKET, STORE_ENV, type StoreServer, startStore } from "./store.js";

/** Of runs that nobody takes for dead, however slow this machine is. */
const LIVING: Heartbeat = { every: 40, dead: 60_000, look: 100 };
const SILENT: Heartbeat = { ...LIVING, every: 60_000 };
/** Of runs that are to be taken for dead, and of those that take them for it. */
const QUICK: Heartbeat = { ...LIVING, dead: 2000 };
const DONE: Owned = {
  rollcall: 1,
  release: "0123456789ab",
  complete: true,
  path: "/api/users/",
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
async function newRun(heartbeat = LIVING, shared?: string): Promise<Lease> {
  return (await newBucket(heartbeat, shared)).lease;
}

/** The same, with what it changes. */
async function newBucket(heartbeat = LIVING, shared?: string): Promise<{ lease: Lease; bucket: Bucket }> {
  const { name, ...address } = parseAddress(`s3://${BUCKET}/dir`);
  const store = await ObjectStore.open({ name, ...address }, server.endpoint);
  const lease = new Lease(store, name, shared, heartbeat);
  const owned = await lease.read();
  const history = new History(scratch());
  return { lease, bucket: new Bucket({ name, store, lease, history, owned, cacheControl: "no-cache" }) };
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
      for (const result of begun) if (result.status === "rejected") expect(result.reason.message).toContain(TAKEN);
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
    const next = await newRun(QUICK);
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

  test("all shards of a release are one run: it lives as long as one of them, and ends when another one begins", async () => {
    const shards = [await newRun(SILENT, "shards"), await newRun(SILENT, "shards"), await newRun(SILENT, "shards")];
    await Promise.all(shards.map((shard) => shard.begin(BEGUN)));
    await Promise.all(shards.map((shard) => shard.confirm()));
    expect(await (await newRun()).read()).toMatchObject({ complete: false, run: { name: "shards" } });
    const late = await newRun(LIVING, "shards");
    await late.begin(BEGUN);
    const next = await newRun(QUICK);
    await expect(next.outwait(() => {})).rejects.toThrow(TAKEN);
    const others = await newRun(SILENT, "shards of another release");
    late.stop();
    await late.confirm();
    await next.read();
    await next.outwait(() => {});
    await next.begin(BEGUN);
    for (const run of [...shards, late]) await expect(run.confirm()).rejects.toThrow(TAKEN);
    await expect(others.begin(BEGUN)).rejects.toThrow(TAKEN);
    await next.end(DONE);
  });

  test("a run that was taken for dead finds out, before it announces anything", async () => {
    const frozen = await newRun(SILENT);
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
    const cut = await newRun(QUICK);
    await cut.begin(BEGUN);
    await pause(QUICK.dead);
    cut.check();
    server.fault = () => "hang";
    await eventually(() => expect(() => cut.check()).toThrow("could not be reached for"));
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
    const run = await newRun(SILENT);
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

const PAGE = "dir/page";
const put = (text: string) => async (bucket: Bucket) => {
  const from = join(scratch(), "page");
  writeFileSync(from, text);
  await bucket.put({ index: 0, path: "page", digest: sha256(text), variant: undefined }, from);
};
const CHANGES: [what: string, method: string, make: (bucket: Bucket) => Promise<void>][] = [
  ["a small file", "PUT", put("late")],
  ["a file that is read as it is sent", "PUT", put("late".repeat(2_000_000))],
  ["a removal", "DELETE", (bucket) => bucket.remove("page")],
];
const ENDS: [how: string, heartbeat: Heartbeat, elsewhere: Fault, why: string][] = [
  ["cannot reach the store any more", QUICK, "hang", "could not be reached for"],
  ["finds that another has begun", SILENT, undefined, TAKEN],
];

describe.each(ENDS)("a run that %s", (_how, heartbeat, elsewhere, why) => {
  test.each(CHANGES)("breaks off what it is sending: %s", async (_what, method, make) => {
    server = await startStore();
    await server.change(PAGE, "before");
    const late = await newBucket(heartbeat);
    await late.lease.begin(BEGUN);
    let arrive = () => {};
    const until = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    let sent = 0;
    server.fault = (asked, key) => {
      if (asked !== method || key !== PAGE) return elsewhere;
      return sent++ === 0 ? { until } : undefined;
    };
    const sending = expect(make(late.bucket)).rejects.toThrow(why);
    await eventually(() => expect(sent).toBe(1));
    // As long as the next run waits for a sign of life.
    if (heartbeat === QUICK) await pause(QUICK.dead);

    server.fault = () => undefined;
    const next = await newBucket();
    await next.lease.begin(BEGUN);
    if (heartbeat === SILENT) await expect(late.lease.confirm()).rejects.toThrow(why);
    await put("next")(next.bucket);
    arrive();
    await sending;
    await next.lease.end(DONE);
    expect((await server.read(PAGE))?.text.slice(0, 9)).toBe("next");
  });
});

test("on a store that ignores conditions the earlier of two finds out at its next sign of life", async () => {
  server = await startStore({ conditions: false });
  const [earlier, later] = [await newRun(SILENT), await newRun()];
  await earlier.begin(BEGUN);
  await later.begin(BEGUN);
  await expect(earlier.confirm()).rejects.toThrow(TAKEN);
  await later.confirm();
  await later.end(DONE);
});
