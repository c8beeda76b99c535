/** A copy is brought from any state to the current one, by the fewest bytes, and never to another. */
import { beforeEach, describe, expect, test } from "vitest";
import { createMemoryStore, type MemoryStore, openListing } from "../../../src/client/index.js";
import { type Release, release, sha256, type Thing } from "./release.js";

const BASE = "https://things.example.com/data";

class Host {
  readonly asked: string[] = [];

  constructor(public current: Release) {}

  readonly fetch: typeof globalThis.fetch = async (input, init = {}) => {
    const url = new URL(String(input));
    const path = url.href.slice(BASE.length + 1).replace(/\?.*/, "");
    this.asked.push(path);
    const bytes = this.current.files.get(path);
    if (!bytes) return new Response("Not found", { status: 404 });
    const etag = `"${sha256(bytes).slice(0, 20)}"`;
    if (new Headers(init.headers).get("if-none-match") === etag) return new Response(null, { status: 304 });
    return new Response(new Uint8Array(bytes), { headers: { etag } });
  };

  take(): string[] {
    return this.asked.splice(0);
  }
}

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
  test("is filled, and costs one request where nothing changed", async () => {
    expect(await sync()).toEqual({ from: undefined, state: first.state, count: 95, via: "pages", put: 95, removed: 0 });
    isCopyOf(first);
    host.take();
    const nothing = { from: first.state, state: first.state, count: 95, via: "nothing", put: 0, removed: 0 };
    expect(await sync()).toEqual(nothing);
    expect(host.take()).toEqual(["snapshot.json"]);
  });

  test("takes a step, in four requests", async () => {
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
});
