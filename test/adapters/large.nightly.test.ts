/** Each real host serves the first and the last page of a release of 10,000 pages. */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { expect, test } from "vitest";
import { build } from "../../src/index.js";
import { plainRows, writeUsers } from "../support/database.js";
import { scratch } from "../support/files.js";
import { isMissing } from "../support/installed.js";
import { freePort } from "../support/ports.js";
import { SERVERS, serveWith } from "./servers.js";

const PAGES = 10_000;

test("hosts serve every page of a large release", { timeout: 120_000 }, async () => {
  const folder = scratch();
  const db = writeUsers(join(folder, "users.sqlite"), plainRows(PAGES));
  const baseUrl = "http://127.0.0.1:8080";
  const { folder: release } = await build({ db, out: join(folder, "dist"), baseUrl, pageSize: 1 });
  for (const server of SERVERS.filter(({ needs }) => !isMissing(...needs))) {
    const port = await freePort();
    const stop = await serveWith(server, { release, folder, port, options: { listenPort: port } });
    for (const page of [1, 4_999, PAGES]) {
      const answer = await fetch(`http://127.0.0.1:${port}/api/users/?format=api&page=${page}`);
      const body = await answer.text();
      expect([server.name, page, answer.status]).toEqual([server.name, page, 200]);
      expect(JSON.parse(body)).toMatchObject({ count: PAGES, results: [{ username: `user${page - 1}` }] });
      if (server.name === "htaccess") continue;
      expect(answer.headers.get("etag")).toBe(`"${createHash("sha256").update(body).digest("hex")}"`);
    }
    expect((await fetch(`http://127.0.0.1:${port}/api/users/?page=${PAGES + 1}`)).status).toBe(404);
    await stop();
  }
});
