/** For any fault in steps, the copy ends at the snapshot's state, or is unchanged with an error. */
import { describe, expect, test } from "vitest";
import { createMemoryStore, ListingError, type MemoryStore, openListing } from "../../../src/client/index.js";
import { type Random, SEED, seeded } from "../../support/random.js";
import { FAULTS, HARMLESS } from "./faults.js";
import { BASE, Host, type Release, release, type Thing } from "./release.js";

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

/** A copy of a first release, and a host that has a second one by now. */
async function begin(random: Random, hasBulk: boolean) {
  const options = { pageSize: 20, hasBulk };
  const from = release(randomThings(random, 50 + random.below(50)), options);
  const host = new Host(from);
  const store = createMemoryStore<Thing>();
  const sync = () => openListing<Thing>(BASE, { fetch: host.fetch, pausesMs: [1, 1, 1] }).sync(store);
  await sync();
  const to = release(changed(random, from.things), { ...options, before: from });
  host.current = to;
  return { host, store, sync, from, to };
}

function isCopyOf(store: MemoryStore<Thing>, { state, things }: Release): void {
  expect(store.held()).toMatchObject({ state, count: things.length });
  expect([...store]).toEqual(things);
}

const NAMES = Object.keys(FAULTS);

describe("a fault in steps leads to reading everything, or to an error", () => {
  test.each(NAMES)("%s", async (name) => {
    const random = seeded(SEED + NAMES.indexOf(name));
    const { host, store, sync, from, to } = await begin(random, random.chance(0.5));
    const files = new Map(to.files);
    FAULTS[name]?.({ from, to, random, answers: host.answers });
    const done: unknown = await sync().catch((error: unknown) => error);
    if (done instanceof ListingError) isCopyOf(store, from);
    else {
      if (name !== HARMLESS)
        expect(done).toMatchObject({
          via: expect.stringMatching(/^(bulk|pages)$/),
          anew: expect.stringContaining(BASE),
        });
      isCopyOf(store, to);
    }
    // Nothing of it is left behind: what is right leads on.
    host.current = { ...to, files };
    host.answers.clear();
    await sync();
    isCopyOf(store, to);
    const back = release(from.things, { pageSize: 20, before: { ...to, files } });
    host.current = back;
    expect(await sync()).toMatchObject({ via: "changes" });
    isCopyOf(store, back);
  });

  test.each(["a step that is missing", "a step that fails", "a step that never ends"])(
    "%s once is asked for again, and steps are enough",
    async (name) => {
      const random = seeded();
      const { host, store, sync, from, to } = await begin(random, false);
      FAULTS[name]?.({ from, to, random, answers: host.answers });
      host.wrongTimes = 1;
      const { via, anew } = await sync();
      expect([via, anew]).toEqual(["changes", undefined]);
      isCopyOf(store, to);
    },
  );
});
