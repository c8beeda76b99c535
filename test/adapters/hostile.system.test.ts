/** Real servers read values back that have a meaning in their own languages, and withstand hostile requests. */
import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { build } from "../../src/index.js";
import { pipelined } from "../server/hostile-requests.js";
import { say } from "../server/running.js";
import { plainRows, writeUsers } from "../support/database.js";
import { scratch } from "../support/files.js";
import { isMissing } from "../support/installed.js";
import { freePort } from "../support/ports.js";
import { seeded } from "../support/random.js";
import { ALL_SERVERS, serveWith } from "./servers.js";

/** Paths of characters that end, quote or expand something in one of the languages. */
const BASES = ["/q%22;$1,(d)%23%25e'~%5C", "/$%7Bx%7D/%E2%82%AC+&=@:!*%7C.b"];
const CACHE = `max-age=7, x="a\\\\b'c $1 \${x} %{y} %[z] {z} #"`;

describe.each(ALL_SERVERS)("$name", (server) => {
  test.skipIf(isMissing(...server.needs))("serves from a folder and with a header that need escapes", async () => {
    const [scratched, port] = [scratch(), await freePort()];
    const db = writeUsers(join(scratched, "users.sqlite"), plainRows(3));
    const built = await build({ db, out: join(scratched, "dist"), baseUrl: `http://127.0.0.1:${port}` });
    // Only the release's folder has odd characters, since the test's own configuration names the other one.
    const brace = server.name === "caddy" ? "" : "{x}";
    const hard = join(scratched, `it's $1 ${brace} #h %41`);
    mkdirSync(hard);
    const release = join(hard, built.name);
    renameSync(built.folder, release);
    await serveWith(server, { release, folder: scratched, port, options: { cacheControl: CACHE } });
    const answer = await fetch(`http://127.0.0.1:${port}/api/users/?page=1`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get("cache-control")).toBe(CACHE);
    expect(await answer.json()).toMatchObject({ count: 3 });
  });

  test.skipIf(isMissing(...server.needs)).each(BASES)("serves below %s", async (base) => {
    const [folder, port] = [scratch(), await freePort()];
    const db = writeUsers(join(folder, "users.sqlite"), plainRows(3));
    const baseUrl = `http://127.0.0.1:${port}${base}`;
    const built = await build({ db, out: join(folder, "dist"), baseUrl, pageSize: 2 });
    await serveWith(server, { release: built.folder, folder, port });
    const ask = (path: string) => fetch(baseUrl + path, { redirect: "manual" });
    for (const path of ["/api/users/?format=api&page=2", "/api/users/pages/2.json", "/snapshot.json", "/avatar.svg"]) {
      const answer = await ask(path);
      expect([path, answer.status]).toEqual([path, 200]);
    }
    const bare = await ask("/api/users?page=2");
    const { href } = new URL(bare.headers.get("location") ?? "", baseUrl);
    expect([bare.status, href]).toEqual([301, `${new URL(baseUrl).href}/api/users/?page=2`]);
    const missing = await ask("/api/users/?page=3");
    expect([missing.status, await missing.json()]).toEqual([404, { detail: "Invalid page." }]);
    // A .htaccess has no effect outside its folder.
    if (server.name === "htaccess") return;
    const elsewhere = await fetch(`http://127.0.0.1:${port}/api/users/`);
    expect([elsewhere.status, await elsewhere.json()]).toEqual([404, { detail: "Not found." }]);
  });

  test.skipIf(isMissing(...server.needs))("gives nothing away to hostile requests", async () => {
    const [folder, port] = [scratch(), await freePort()];
    const db = writeUsers(join(folder, "users.sqlite"), plainRows(3));
    writeFileSync(join(folder, "canary.txt"), "canary-of-the-folder");
    writeFileSync(join(folder, "dist-canary.txt"), "canary-of-the-folder");
    const built = await build({ db, out: join(folder, "dist"), baseUrl: `http://127.0.0.1:${port}` });
    await serveWith(server, { release: built.folder, folder, port });
    const random = seeded(20_261_121);
    for (let round = 0; round < 20; round++) {
      const heard = await say(port, pipelined(random, 5).text, 200);
      expect(heard).not.toMatch(/canary-of|root:x:0/);
      for (const [, status] of heard.matchAll(/^HTTP\/1\.[01] (\d{3})/gm))
        expect([
          "200",
          "204",
          "206",
          "301",
          "304",
          "400",
          "403",
          "404",
          "405",
          "411",
          "414",
          "415",
          "431",
          "500",
          "501",
        ]).toContain(status);
    }
  });
});
