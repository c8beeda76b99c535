import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { type BuildOptions, build, createServer } from "../../src/index.js";
import { writeUsers } from "../support/database.js";
import { scratch } from "../support/files.js";
import { freePort } from "../support/ports.js";
import { report } from "./client.js";
import { population, promised } from "./population.js";

const USERS = population(600);
const AVATAR = "https://media.example.com/nobody.png";

async function published(
  rows: ReturnType<typeof population>,
  path: string,
  options: Partial<BuildOptions>,
): Promise<string> {
  const folder = scratch();
  const port = await freePort();
  const baseUrl = `http://127.0.0.1:${port}${path}`;
  const db = writeUsers(join(folder, "users.sqlite"), rows);
  await build({ db, out: join(folder, "dist"), baseUrl, pageSize: 37, defaultAvatar: AVATAR, ...options });
  const host = await createServer({ folder: join(folder, "dist") });
  onTestFinished(() => host.close());
  await host.listen({ port, host: "127.0.0.1" });
  return baseUrl;
}

const SHAPES: [string, string, Partial<BuildOptions>][] = [
  ["plain, at the root", "", {}],
  ["compressed, below a path", "/people/directory", { encodings: ["br", "gzip"] }],
  ["linked by path, with the images it comes with", "", { links: "path", defaultAvatar: undefined }],
  ["everything at once", "/v1", { links: "path", encodings: ["gzip"] }],
];

test.for(SHAPES)("a stranger finds nothing wrong with pages %s", { timeout: 120_000 }, async ([, path, options]) => {
  const baseUrl = await published(USERS, path, options);
  expect(await report(baseUrl, { pageSize: 37 })).toEqual([]);
});

test.for([0, 1, 37, 38])("a stranger finds nothing wrong with a collection of %i", async (count) => {
  const baseUrl = await published(USERS.slice(0, count), "", { encodings: ["br", "gzip"] });
  expect(await report(baseUrl, { pageSize: 37 })).toEqual([]);
});

test("what is read is what the source holds", async () => {
  const baseUrl = await published(USERS, "", {});
  const wanted = promised(USERS, AVATAR);
  const read: unknown[] = [];
  for (let page = 1; page <= Math.ceil(USERS.length / 37); page++) {
    const answer = await fetch(`${baseUrl}/api/users/?format=api&page=${page}`);
    const envelope: unknown = await answer.json();
    expect(envelope).toHaveProperty("results");
    if (typeof envelope === "object" && envelope !== null && "results" in envelope && Array.isArray(envelope.results)) {
      read.push(...envelope.results);
    }
  }
  expect(read).toMatchObject(wanted);
});
