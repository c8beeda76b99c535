/** Whatever a host answers on the way of steps, the copy ends as the snapshot is, or stays as it was, with an error. */
import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createMemoryStore, ListingError, type MemoryStore, openListing } from "../../../src/client/index.js";
import { type Random, SEED, seeded } from "../../support/random.js";
import { type Answer, FAULTS } from "./faults.js";
import { type Release, release, sha256, type Thing } from "./release.js";

let server: Server;
let base: string;
let current: Release;
let answers = new Map<string, Answer>();
/** How often an answer goes wrong; then it is right. */
let times = Number.POSITIVE_INFINITY;

beforeAll(async () => {
  server = createServer(answer).listen(0, "127.0.0.1");
  await once(server, "listening");
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(async () => {
  server.closeAllConnections();
  server.close();
});

const answer: RequestListener = (req, res) => {
  const path = (req.url ?? "").slice(1).replace(/\?.*/, "");
  const wrong = times > 0 ? answers.get(path) : undefined;
  if (wrong) times--;
  const file = current.files.get(path);
  const { status = file ? 200 : 404, headers = {}, body = file ?? Buffer.from("none"), isEndless, isCut } = wrong ?? {};
  if (wrong?.raw !== undefined) return void req.socket.end(wrong.raw);
  const etag = `"${sha256(body).slice(0, 32)}"`;
  if (isEndless) {
    const more = () => {
      while (!res.destroyed && res.write(Buffer.alloc(65_536, " ")));
    };
    res.writeHead(200).on("drain", more);
    more();
  } else if (isCut) {
    res.writeHead(200, { "Content-Length": `${body.length}` });
    res.write(body.subarray(0, body.length / 2), () => res.destroy());
  } else if (status === 200 && req.headers["if-none-match"] === etag) res.writeHead(304, { etag }).end();
  else res.writeHead(status, { etag, ...headers }).end(status === 304 ? undefined : body);
};

const open = () => openListing<Thing>(base, { pausesMs: [1, 1, 1], timeoutMs: 20_000 });

const HARD = ["", "é", "\u0000", "🌦️", "\uffff", "a\u0001b", '"\\', "z".repeat(300)];

function randomThings(random: Random, count: number): Thing[] {
  return Array.from({ length: count }, (_, at) => ({
    ...{ id: at * 3 - 60, name: random.of(HARD) + random.below(5), score: random.below(9) - 4 },
  }));
}

/** Some are removed, some changed, some added. The first one is always changed. */
function changed(random: Random, things: readonly Thing[]): Thing[] {
  const kept = things.filter((_, at) => at === 0 || !random.chance(0.1));
  const moved = kept.map((thing, at) =>
    at === 0 || random.chance(0.1) ? { ...thing, score: thing.score + 10 } : thing,
  );
  return [...moved, ...randomThings(random, random.below(5)).map((thing, at) => ({ ...thing, id: 10_000 + at }))];
}

/** A copy of a first release, and the host with a second one. */
async function begin(
  random: Random,
  hasBulk: boolean,
): Promise<{ store: MemoryStore<Thing>; from: Release; to: Release }> {
  const options = { baseUrl: base, pageSize: 20, hasBulk };
  const from = release(randomThings(random, 50 + random.below(50)), options);
  [current, answers, times] = [from, new Map(), Number.POSITIVE_INFINITY];
  const store = createMemoryStore<Thing>();
  await open().sync(store);
  const to = release(changed(random, from.things), { ...options, before: from });
  current = to;
  return { store, from, to };
}

function isCopyOf(store: MemoryStore<Thing>, { state, things }: Release): void {
  expect(store.held()).toMatchObject({ state, count: things.length });
  expect([...store]).toEqual(things);
}

describe("a fault on the way of steps ends in reading everything, or in an error", () => {
  test.each(FAULTS.map((fault, at) => ({ ...fault, at })))("$name", async ({ spoil, isHarmless, at }) => {
    const random = seeded(SEED + at);
    const { store, from, to } = await begin(random, random.chance(0.5));
    const files = new Map(to.files);
    spoil({ from, to, random, answers });
    let done: unknown;
    try {
      done = await open().sync(store);
    } catch (error) {
      done = error;
    }
    if (done instanceof ListingError) isCopyOf(store, from);
    else if (isHarmless) isCopyOf(store, to);
    else {
      expect(done).toMatchObject({ via: expect.stringMatching(/^(bulk|pages)$/), anew: expect.stringContaining(base) });
      isCopyOf(store, to);
    }
    // Nothing of it is left behind: what is right leads on.
    current = { ...to, files };
    answers.clear();
    await open().sync(store);
    isCopyOf(store, to);
    const back = release(from.things, { baseUrl: base, pageSize: 20, before: { ...to, files } });
    current = back;
    expect(await open().sync(store)).toMatchObject({ via: "changes" });
    isCopyOf(store, back);
  });

  test("what is wrong once is asked for again, and steps are enough", async () => {
    const once = FAULTS.filter(({ name }) => /missing|fails|breaks off|304|never ends/.test(name));
    expect(once.length).toBeGreaterThan(5);
    for (const [at, { spoil, name }] of once.entries()) {
      const random = seeded(SEED + at);
      const { store, from, to } = await begin(random, false);
      spoil({ from, to, random, answers });
      times = 1;
      const { via, anew } = await open().sync(store);
      // A missing changes.json is none.
      expect({ name, via, anew }).toEqual({ name, via: "changes", anew: undefined });
      isCopyOf(store, to);
    }
  });
});
