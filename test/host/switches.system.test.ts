/** nginx, Apache and Caddy follow `dist/current` without a reload: nothing torn, stale or confirmed for other bytes. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { build } from "../../src/index.js";
import { plainRows, writeUsers } from "../support/database.js";
import { scratch } from "../support/files.js";
import { isMissing } from "../support/installed.js";
import { freePort } from "../support/ports.js";
import { serveWith } from "./servers.js";
import { buildShop, checkSwitches, SWITCHED } from "./switches.js";

test.for(SWITCHED)("$name, twenty switches under load", async (server, { skip }) => {
  skip(isMissing(...server.needs));
  expect(await checkSwitches(server, 20, 100)).toBeGreaterThan(2_000);
});

test.for(SWITCHED)("$name, twenty switches of a site under load", async (server, { skip }) => {
  skip(isMissing(...server.needs));
  expect(await checkSwitches(server, 20, 100, buildShop)).toBeGreaterThan(2_000);
});

test.for(SWITCHED)("$name sends the plain page where a release has no compressed one", async (server, { skip }) => {
  skip(isMissing(...server.needs));
  const [folder, dist, port] = [scratch(), scratch(), await freePort()];
  const db = writeUsers(join(folder, "users.sqlite"), plainRows(200));
  const options = { db, dist, baseUrl: `http://127.0.0.1:${port}` };
  const compressed = await build({ ...options, compress: ["br", "gzip"] });
  await serveWith(server, { release: compressed.folder, folder, port });
  const codingOf = async () => {
    const headers = { "Accept-Encoding": "br, gzip" };
    const answer = await fetch(`http://127.0.0.1:${port}/api/users/?page=2`, { headers });
    expect(await answer.json()).toMatchObject({ count: 200 });
    return [answer.status, answer.headers.get("content-encoding")];
  };
  expect(await codingOf()).toEqual([200, "br"]);
  await build({ ...options, compress: [] });
  expect(await codingOf()).toEqual([200, null]);
});
