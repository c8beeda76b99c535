/** A lookup among a million users needs at most three requests and 250 kB. */
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { sampleUsers } from "../../../scripts/sample/users.js";
import { writeUsers } from "../../../scripts/sample/write.js";
import { openListing } from "../../../src/client/index.js";
import { foldedWords } from "../../../src/core/contract/lookup.js";
import { createServer } from "../../../src/index.js";
import { run } from "../../support/command.js";
import { scratch } from "../../support/files.js";
import { freePort } from "../../support/ports.js";
import { draws, seeded } from "../../support/random.js";

const COUNT = draws(1_000_000);
const MOST_BYTES = 250_000;
const TRIES = 100;

test("finds a key, and the first record of a name, in few requests", { timeout: 1_800_000 }, async () => {
  const random = seeded();
  const folder = scratch();
  const [db, dist, port] = [join(folder, "users.sqlite"), join(folder, "dist"), await freePort()];
  writeUsers(sampleUsers(COUNT, 1), db, { force: false });
  const baseUrl = `http://127.0.0.1:${port}`;
  const built = await run(["build", "--db", db, "--base-url", baseUrl, "--dist", dist, "--lookup", "--quiet"]);
  expect(built).toMatchObject({ code: 0, stderr: "" });
  const host = await createServer({ dist });
  onTestFinished(() => host.close());
  await host.listen({ port, host: "127.0.0.1" });

  let asked: [path: string, bytes: number][] = [];
  const counted: typeof fetch = async (url, init) => {
    const answer = await fetch(url, init);
    const bytes = await answer.arrayBuffer();
    asked.push([String(url).slice(baseUrl.length), bytes.byteLength]);
    return new Response(bytes, answer);
  };
  /** The most that anything took but the index, which is read once for a snapshot. */
  const most = { requests: 0, bytes: 0 };
  const take = () => {
    const read = asked.filter(([path]) => path !== "/lookup/index.json");
    most.requests = Math.max(most.requests, read.length);
    most.bytes = Math.max(
      most.bytes,
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
    take();

    const { first_name, last_name, username } = user;
    const texts = [`${first_name} ${last_name}`, `${last_name} ${first_name}`, last_name, username];
    texts.push(Array.from(first_name).slice(0, 2).join(""));
    // A username that is the key is none.
    for (const text of texts.filter((one) => [1, 2].includes(foldedWords(one).length) && one !== user.id)) {
      const other = openListing(baseUrl, { fetch: counted });
      await other.snapshot();
      asked = [];
      const walk = other.find(text);
      expect(await walk.next()).toMatchObject({ done: false });
      take();
      await walk.return?.();
    }
  }
  process.stdout.write(`${COUNT} users: ${JSON.stringify(most)}
`);
  expect(most.requests).toBeLessThanOrEqual(3);
  expect(most.bytes).toBeLessThanOrEqual(MOST_BYTES);
});
