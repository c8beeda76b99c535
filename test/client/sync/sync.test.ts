/** A sync brings a copy from any state to the current one, with the fewest bytes. */
import { beforeEach, describe, expect, test } from "vitest";
import { createMemoryStore, type Held, type MemoryStore, openListing, type Store } from "../../../src/client/index.js";
import { contractOf } from "../../../src/core/contract/contract.js";
import { sha256 } from "../../../src/core/release/plain-files.js";
import { BASE, Host, type Release, release, type Thing } from "./release.js";

const things = (count: number): Thing[] =>
  Array.from({ length: count }, (_, at) => ({ id: at + 1, name: `thing ${at % 7}`, score: at % 5 }));

let first: Release;
let second: Release;
let host: Host;
let store: MemoryStore<Thing>;
beforeEach(() => {
  first = release(things(95));
  const changed = things(96)
    .filter(({ id }) => id !== 7)
    .map((thing) => (thing.id === 50 ? { ...thing, score: 9 } : thing));
  second = release(changed, { before: first });
  host = new Host(first);
  store = createMemoryStore();
});

const sync = () => openListing<Thing>(BASE, { fetch: host.fetch, pausesMs: [1, 1, 1] }).sync(store);

const held = ({ state, contract, things }: Release) => ({
  state,
  contract: sha256(contract.text),
  count: things.length,
});

function isCopyOf(of: Release): void {
  expect([...store]).toEqual(of.things);
  expect(store.held()).toMatchObject(held(of));
  expect(store.size).toBe(of.things.length);
}

describe("a copy", () => {
  test("is filled, and costs one request if nothing has changed", async () => {
    expect(await sync()).toEqual({ from: undefined, state: first.state, count: 95, via: "pages", put: 95, removed: 0 });
    isCopyOf(first);
    host.take();
    const nothing = { from: first.state, state: first.state, count: 95, via: "nothing", put: 0, removed: 0 };
    expect(await sync()).toEqual(nothing);
    expect(host.take()).toEqual(["snapshot.json"]);
  });

  test("does not rely on ETags", async () => {
    host.tag = () => '"6921d2c0-f1"';
    await sync();
    host.current = second;
    expect(await sync()).toMatchObject({ via: "changes", state: second.state });
    isCopyOf(second);
  });

  test("compares the contract if a snapshot has the same records but another id", async () => {
    await sync();
    const before = store.held();
    host.current = release(first.things, { pageSize: 20 });
    host.take();
    expect(await sync()).toMatchObject({ via: "nothing" });
    expect(host.take()).toEqual(["snapshot.json", "contract.json"]);
    const snapshot = JSON.parse(String(host.current.files.get("snapshot.json")));
    expect(store.held()).toEqual({ ...before, id: snapshot.id });
    expect(await sync()).toMatchObject({ via: "nothing" });
    expect(host.take()).toEqual(["snapshot.json"]);
  });

  test("applies a step in four requests", async () => {
    await sync();
    host.current = second;
    host.take();
    const done = { from: first.state, state: second.state, count: 95, via: "changes", put: 2, removed: 1 };
    expect(await sync()).toEqual(done);
    expect(host.take()).toEqual(["snapshot.json", "changes.json", "contract.json", second.steps[0]?.file]);
    isCopyOf(second);
    expect(store.get(50)).toEqual({ id: 50, name: "thing 0", score: 9 });
    expect(store.get(7)).toBeUndefined();
  });

  test("applies several steps; the last line about a key counts", async () => {
    await sync();
    const back = release(first.things, { before: second });
    const third = release(things(97), { before: back });
    host.current = third;
    expect(await sync()).toMatchObject({ from: first.state, state: third.state, via: "changes" });
    isCopyOf(third);
    // By the newest chain from a state that was there twice.
    expect(host.take().filter((path) => path.startsWith("changes/"))).toEqual([third.steps[0]?.file]);
    const copy = createMemoryStore<Thing>();
    host.current = second;
    await openListing<Thing>(BASE, { fetch: host.fetch }).sync(copy);
    host.current = third;
    const done = await openListing<Thing>(BASE, { fetch: host.fetch }).sync(copy);
    expect(done).toMatchObject({ via: "changes", put: 4, removed: 1 });
    expect([...copy]).toEqual(third.things);
  });

  test("is read again if no step leads on, from bulk parts if possible", async () => {
    await sync();
    host.current = release(things(20), { hasBulk: true });
    const done = await sync();
    expect(done).toMatchObject({ via: "bulk", put: 20, removed: 0, anew: expect.stringContaining("has no steps") });
    isCopyOf(host.current);
    host.current.files.delete("changes.json");
    host.current = release(things(10));
    host.current.files.delete("changes.json");
    const { anew, via } = await sync();
    expect([anew, via]).toEqual([undefined, "pages"]);
    isCopyOf(host.current);
  });

  test("is read again for another contract, or if it was changed", async () => {
    await sync();
    const contract = contractOf({ ...first.contract.file, title: "Another" });
    host.current = release(first.things, { contract });
    expect(await sync()).toMatchObject({ via: "pages", anew: expect.stringContaining("contract.json") });
    isCopyOf(host.current);
    host.current = release(second.things, { contract, before: host.current });
    const change = await store.begin(contract.file, false);
    await change.remove("20");
    await change.commit({ ...(store.held() as Held) });
    expect(await sync()).toMatchObject({ via: "pages", anew: expect.stringContaining("has other records") });
    isCopyOf(host.current);
  });

  test("adopts another snapshot of the same records without reading them", async () => {
    await sync();
    host.current = release(first.things, { pageSize: 20 });
    host.take();
    expect(await sync()).toMatchObject({ via: "nothing", count: 95 });
    expect(host.take()).toEqual(["snapshot.json", "contract.json"]);
    await sync();
    expect(host.take()).toEqual(["snapshot.json"]);
  });

  test("of an empty listing is valid", async () => {
    host.current = release([]);
    expect(await sync()).toMatchObject({ via: "pages", count: 0 });
    host.current = release(things(3), { before: host.current });
    expect(await sync()).toMatchObject({ via: "changes", put: 3 });
    host.current = release([], { before: host.current });
    expect(await sync()).toMatchObject({ via: "changes", removed: 3 });
    isCopyOf(host.current);
  });

  test("ends in the snapshot to which the host has switched meanwhile", async () => {
    await sync();
    const third = release(things(90), { before: second });
    for (const path of ["changes.json", second.steps[0]?.file, "contract.json"]) {
      store = createMemoryStore();
      host.current = first;
      await sync();
      host.current = second;
      host.onAsked = (asked) => {
        if (asked === path) host.current = third;
      };
      await sync();
      await sync();
      isCopyOf(third);
    }
  });

  test("is unchanged if the sync is stopped, or the store fails", async () => {
    await sync();
    host.current = second;
    const control = new AbortController();
    host.onAsked = (asked) => {
      if (asked.startsWith("changes/")) control.abort(new Error("enough"));
    };
    const listing = openListing<Thing>(BASE, { fetch: host.fetch });
    await expect(listing.sync(store, { signal: control.signal })).rejects.toThrow("enough");
    isCopyOf(first);
    host.onAsked = () => {};
    const full: Store<Thing> = {
      held: () => store.held(),
      async begin(contract, isAnew) {
        const change = await store.begin(contract, isAnew);
        const put = () => {
          throw new Error("disk full");
        };
        return { ...change, put };
      },
    };
    await expect(listing.sync(full)).rejects.toThrow("disk full");
    isCopyOf(first);
    const told: unknown[] = [];
    await listing.sync(store, { onProgress: (done) => told.push(done) });
    expect(told).toEqual([{ records: 3, total: 3 }]);
  });
});
