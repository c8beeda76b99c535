/** What a look-up costs where there are a million users: three requests for a key, a file a word for a name, and 250 kB at most. */
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
import { drawSeed, seeded } from "../../support/random.js";

/** Fewer, for whoever works on this test. */
const COUNT = Number(process.env["ROLLCALL_TEST_USERS"] ?? 1_000_000);
const MOST_BYTES = 250_000;
const TRIES = 40;

test("a key, and where the records of a name are", { timeout: 1_800_000 }, async () => {
  const random = seeded(drawSeed());
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
  const costs = (of: RegExp) => {
    const found = asked.filter(([path]) => of.test(path));
    return { requests: found.length, bytes: found.reduce((sum, [, bytes]) => sum + bytes, 0) };
  };
  const most = { get: { requests: 0, bytes: 0 }, find: { requests: 0, bytes: 0 } };
  const take = (kind: keyof typeof most, { requests, bytes }: ReturnType<typeof costs>, allowed: number) => {
    expect([requests <= allowed, bytes <= MOST_BYTES, asked]).toEqual([true, true, asked]);
    most[kind].requests = Math.max(most[kind].requests, requests);
    most[kind].bytes = Math.max(most[kind].bytes, bytes);
  };

  for (let tries = 0; tries < TRIES; tries++) {
    const listing = openListing(baseUrl, { fetch: counted });
    const { pages } = await listing.snapshot();
    const { results } = await listing.page(1 + random.below(pages));
    const user = random.of(results);
    asked = [];
    expect(await listing.get(user.id)).toEqual(user);
    take("get", costs(/./), 3);

    const { first_name, last_name, username } = user;
    const texts = [`${first_name} ${last_name}`, last_name, username, Array.from(first_name).slice(0, 2).join("")];
    // Where writing puts no spaces between words, a name is many words, each with a file of its own.
    for (const text of texts.filter((one) => foldedWords(one).length <= 2)) {
      const other = openListing(baseUrl, { fetch: counted });
      await other.snapshot();
      asked = [];
      const walk = other.find(text);
      await walk.next();
      await walk.return?.();
      // The index, and a file for each word.
      take("find", costs(/^\/lookup\//), 1 + foldedWords(text).length);
    }
  }
  process.stdout.write(`${COUNT} users, at most: ${JSON.stringify(most)}\n`);
});
