/** Hosts serve a listing in the place of a file that its release does not have. */
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { build } from "../../src/index.js";
import { scratch } from "../support/files.js";
import { fetchReply } from "../support/front.js";
import { isMissing } from "../support/installed.js";
import { PLACES, places, writePlaces } from "../support/places.js";
import { freePort } from "../support/ports.js";
import { COMMON_SERVERS, serveWith } from "./servers.js";

const NAME = "records.parquet";
const { path: _, ...LISTING } = PLACES["x-listing"];

test.for(COMMON_SERVERS.filter(({ links }) => links !== "path"))("$name", async (server, { skip }) => {
  skip(isMissing(...server.needs));
  for (const shape of ["plain", "site"]) {
    const [folder, port] = [scratch(), await freePort()];
    // Apache runs as another user.
    chmodSync(folder, 0o755);
    const db = writePlaces(join(folder, "places.sqlite"), places(12));
    const contract = { ...PLACES, "x-listing": shape === "site" ? LISTING : { ...LISTING, path: `/${NAME}/` } };
    const one = { table: "places", contract };
    const options = shape === "site" ? { listings: { [NAME]: one } } : one;
    const baseUrl = `http://127.0.0.1:${port}`;
    const { folder: release } = await build({ ...options, db, baseUrl, dist: join(folder, "dist"), pageSize: 10 });
    const stop = await serveWith(server, { release, folder, port });
    const ask = (url: string) => fetchReply(`${port}`, { method: "GET", url, headers: {} });
    const moved = await ask(`/${NAME}`);
    expect([shape, moved.status]).toEqual([shape, 301]);
    const page = await ask(`/${NAME}/?page=2`);
    expect([page.status, JSON.parse(String(page.body)).results.length]).toEqual([200, 2]);
    await stop();
  }
});
