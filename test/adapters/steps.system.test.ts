/** A copy that each real host keeps in step: by the steps of its releases, in few requests, to the state of each. */
import { chmodSync, readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createMemoryStore, openListing } from "../../src/client/index.js";
import type { User } from "../../src/contract/users.js";
import { build, createServer } from "../../src/index.js";
import { sha256 } from "../../src/release/files.js";
import { plainRows, writeUsers } from "../support/database.js";
import { scratch } from "../support/files.js";
import { isMissing } from "../support/installed.js";
import { freePort } from "../support/ports.js";
import { BY_PATH, SERVERS, type Server, serveWith } from "./servers.js";

const COUNT = 300;
const ROLLCALL: Pick<Server, "name" | "needs" | "links"> = { name: "rollcall", needs: [] };

/** Builds a release of users in whose place `number` one is new, another gone and a third changed. */
async function built(folder: string, number: number, settings: Pick<Server, "links"> & { baseUrl: string }) {
  const rows = plainRows(COUNT + number).filter((_, at) => at >= number);
  const changed = rows.map((row, at) => (at === 50 + number ? { ...row, bio: `changed in ${number}` } : row));
  const db = writeUsers(join(folder, `${number}.sqlite`), changed);
  const { baseUrl, links = "query" } = settings;
  const options = { db, baseUrl, links, pageSize: 50, changes: 5, adapt: [] };
  const { folder: release } = await build({ ...options, out: join(folder, "dist") });
  return { release: realpathSync(release), state: sha256(readFileSync(join(release, "records.sha256"))) };
}

/** Serves a release by a host of its own kind, or by Rollcall's, until it is told to stop. */
async function serve(server: Pick<Server, "name">, release: string, port: number): Promise<() => Promise<void>> {
  const host = [...SERVERS, ...BY_PATH].find(({ name }) => name === server.name);
  if (host) return serveWith(host, { release, folder: scratch(), port });
  const own = await createServer({ folder: release });
  onTestFinished(() => own.close());
  await own.listen({ port, host: "127.0.0.1" });
  return () => own.close();
}

test.for([ROLLCALL, ...SERVERS, ...BY_PATH])("$name", { timeout: 120_000 }, async (server, { skip }) => {
  skip(isMissing(...server.needs));
  const [folder, port] = [scratch(), await freePort()];
  chmodSync(folder, 0o755);
  const baseUrl = `http://127.0.0.1:${port}/people/directory`;
  const asked: string[] = [];
  const counted: typeof fetch = (input, init) => {
    asked.push(String(input).slice(baseUrl.length));
    return fetch(input, init);
  };
  const [stepByStep, late] = [createMemoryStore<User>(), createMemoryStore<User>()];
  const told: unknown[] = [];
  for (const number of [1, 2, 3]) {
    const { release, state } = await built(folder, number, { ...server, baseUrl });
    const stop = await serve(server, release, port);
    for (const store of number === 2 ? [stepByStep] : [stepByStep, late]) {
      asked.length = 0;
      const result = await openListing(baseUrl, { fetch: counted }).sync(store);
      expect(result).toMatchObject({ state, count: COUNT });
      expect(result.anew).toBeUndefined();
      const steps = asked.filter((path) => path.startsWith("/changes/")).length;
      told.push([result.via, result.via === "changes" ? asked.length : 0, steps, result.put, result.removed]);
    }
    await stop();
  }
  const whole = ["pages", 0, 0, COUNT, 0];
  expect(told).toEqual([whole, whole, ["changes", 4, 1, 3, 1], ["changes", 4, 1, 3, 1], ["changes", 5, 2, 6, 2]]);
});
