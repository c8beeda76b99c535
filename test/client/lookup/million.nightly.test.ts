/** What a look-up costs where there are a million users: three requests and 250 kB at most for a key and for a name of two words. */
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { sampleUsers } from "../../../scripts/sample/users.js";
import { writeUsers } from "../../../scripts/sample/write.js";
import { openListing } from "../../../src/client/index.js";
import { foldedWords } from "../../../src/contract/lookup.js";
import { createServer } from "../../../src/index.js";
import { run } from "../../support/command.js";
import { scratch } from "../../support/files.js";
import { freePort } from "../../support/ports.js";
import { draws, seeded } from "../../support/random.js";

const COUNT = draws(1_000_000);
const MOST_BYTES = 250_000;
const TRIES = 100;

test("a key, and the first record of a name", { timeout: 1_800_000 }, async () => {
  const random = seeded();
  const folder = scratch();
  const [db, dist, port] = [join(folder, "users.sqlite"), join(folder, "dist"), await freePort()];
  writeUsers(sampleUsers(COUNT, 1), db, { force: false });
  const baseUrl = `http://127.0.0.1:${port}`;
  const built = await run(["build", "--db", db, "--base-url", baseUrl, "--out", dist, "--lookup", "--quiet"]);
  expect(built).toMatchObject({ code: 0, stderr: "" });
  const host = await createServer({ folder: dist });
  onTestFinished(() => host.close());
  await host.listen({ port, host: "127.0.0.1" });

  let asked: [path: string, bytes: number][] = [];
  const counted: typeof fetch = async (url, init) => {
    const answer = await fetch(url, init);
    const bytes = await answer.arrayBuffer();
    asked.push([String(url).slice(baseUrl.length), bytes.byteLength]);
    return new Response(bytes, answer);
  };
  /** What was asked for but the index, which is read once for a snapshot: how often so many requests, and the most bytes. */
  const costs = new Map<string, { requests: number[]; bytes: number }>();
  const take = (kind: string) => {
    const read = asked.filter(([path]) => path !== "/lookup/index.json");
    const cost = costs.get(kind) ?? { requests: [], bytes: 0 };
    costs.set(kind, cost);
    cost.requests[read.length] = (cost.requests[read.length] ?? 0) + 1;
    cost.bytes = Math.max(
      cost.bytes,
      read.reduce((sum, [, bytes]) => sum + bytes, 0),
    );
  };

  for (let tries = 0; tries < TRIES; tries++) {
    const listing = openListing(baseUrl, { fetch: counted });
    const { pages } = await listing.snapshot();
    const { results } = await listing.page(1 + random.below(pages));
    const user = random.of(results);
    asked = [];
    expect(await listing.get(user.id)).toEqual(user);
    take("key");

    const { first_name, last_name, username } = user;
    const texts = [`${first_name} ${last_name}`, `${last_name} ${first_name}`, last_name, username];
    texts.push(
      Array.from(first_name).slice(0, 2).join(""),
      `${first_name} ${Array.from(last_name).slice(0, 2).join("")}`,
    );
    // A username that is the key is none.
    for (const text of texts.filter((one) => foldedWords(one).length > 0 && one !== user.id)) {
      const other = openListing(baseUrl, { fetch: counted });
      await other.snapshot();
      asked = [];
      const walk = other.find(text);
      expect(await walk.next()).toMatchObject({ done: false });
      take(foldedWords(text).length <= 2 ? "name of one or two words" : "name of more words");
      await walk.return?.();
    }
  }
  process.stdout.write(`${COUNT} users, how often so many requests: ${JSON.stringify([...costs])}\n`);
  const [key, short, long] = ["key", "name of one or two words", "name of more words"].map((kind) => costs.get(kind));
  for (const cost of [key, short]) {
    expect(cost?.requests.length).toBeLessThanOrEqual(1 + 3);
    expect(cost?.bytes).toBeLessThanOrEqual(MOST_BYTES);
  }
  // Two words of a long name may be those of several people. Then these are looked at, or a further word is: mostly one of them.
  const tries = long?.requests.reduce((sum, count) => sum + count, 0) ?? 0;
  const few = long?.requests.slice(0, 1 + 4).reduce((sum, count) => sum + count, 0);
  expect(few).toBeGreaterThanOrEqual(tries / 2);
  // How many it may be at most, nobody can say: this is twice of what ten runs found.
  expect(long?.requests.length).toBeLessThanOrEqual(1 + 26);
});
