/** Where a page's bytes change but its size and time do not, no real host may answer 304. */
import { createHash } from "node:crypto";
import { readFileSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { USERS_CONTRACT } from "../../src/contract/contract.js";
import { build } from "../../src/index.js";
import { PagePaths } from "../../src/release/layout.js";
import { plainRows, writeUsers } from "../support/database.js";
import { scratch } from "../support/files.js";
import { isMissing } from "../support/installed.js";
import { freePort } from "../support/ports.js";
import { ALL_SERVERS, serveWith } from "./servers.js";

describe.each(ALL_SERVERS)("$name", (server) => {
  test.skipIf(isMissing(...server.needs))("gives no 304 for other bytes of one size and time", async () => {
    const port = await freePort();
    const baseUrl = `http://127.0.0.1:${port}`;
    const url = `${baseUrl}/api/users/?page=1`;
    const time = new Date("2026-01-01T00:00:00Z");
    const seen: { tag: string; modified: string; size: number; body: string }[] = [];
    for (const name of ["one", "two"]) {
      const folder = scratch();
      const rows = plainRows(3).map((row) => ({ ...row, bio: name }));
      const db = writeUsers(join(folder, "users.sqlite"), rows);
      const { folder: release } = await build({ db, out: join(folder, "dist"), baseUrl });
      const page = join(release, new PagePaths(USERS_CONTRACT.listing.path).path(1));
      utimesSync(page, time, time);
      const stop = await serveWith(server, { release, folder, port });
      const before = seen.at(-1);
      const headers = {
        "If-None-Match": before?.tag ?? '"none"',
        "If-Modified-Since": new Date().toUTCString(),
      };
      const answer = await fetch(url, { headers });
      const again = await fetch(url, { headers: { "If-None-Match": answer.headers.get("etag") ?? "" } });
      const body = await answer.text();
      expect([answer.status, again.status]).toEqual([200, 304]);
      expect(body).toBe(readFileSync(page, "utf8"));
      if (server.name !== "htaccess") {
        const digest = createHash("sha256").update(body).digest("hex");
        expect(answer.headers.get("etag")).toBe(`"${digest}"`);
      }
      const modified = answer.headers.get("last-modified") ?? "none";
      seen.push({ tag: answer.headers.get("etag") ?? "none", modified, size: statSync(page).size, body });
      await stop();
    }
    const [one, two] = seen;
    expect(one?.size).toBe(two?.size);
    expect(one?.body).not.toBe(two?.body);
    expect(one?.tag).not.toBe(two?.tag);
    expect(one?.modified).toBe("none");
  });
});
