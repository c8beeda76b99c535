/** A switch of `current` while the server runs. */
import { rename, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { Site } from "../../src/core/release/site.js";
import { SERVER_LIMITS } from "../../src/serve/limits.js";
import { createListingServer } from "../../src/serve/serve.js";
import { openFiles, scratch } from "../support/files.js";
import { USER_PAGES } from "../support/pages.js";
import { releaseOf } from "../support/served.js";
import { until } from "../support/until.js";
import { publish, switchTo, writeRelease } from "./release.js";
import { ask, freshDist, sendAndClose, serving } from "./running.js";

test("replaces the release at once", async () => {
  const { server, port, dist, lines } = await serving({ encodings: ["gzip"] });
  const before = releaseOf(server).snapshot.id;
  await publish(dist, { bio: "new", count: 9, baseUrl: "https://example.com/moved" });
  await until(() => releaseOf(server).snapshot.id !== before);
  const answer = await ask(port, "/moved/api/users/?page=5");
  expect(answer.headers).toMatchObject({ "snapshot-id": releaseOf(server).snapshot.id, vary: "Accept" });
  expect(JSON.parse(answer.body.toString())).toMatchObject({ count: 9 });
  expect((await ask(port, "/api/users/")).status).toBe(404);
  expect((await ask(port, "/moved/snapshot.json")).body.toString()).toContain(releaseOf(server).snapshot.id);
  expect(lines).toEqual([]);
});

test("to a broken release is refused and logged, and followed after repair", async () => {
  const { server, port, dist, lines } = await serving({}, {}, { watchMs: 10, retryMs: 20 });
  const before = releaseOf(server).folder;
  const next = await writeRelease(dist, { bio: "next" });
  const missing = join(next, USER_PAGES.path(1));
  await rename(missing, `${missing}.away`);
  await switchTo(dist, next);
  await until(() => lines.length > 0);
  await server.reload();
  expect(lines[0]).toMatch(/^Still serving [0-9a-f]{12}\. Release .* is broken: .*1\.json: found no such file/);
  expect(releaseOf(server).folder).toBe(before);
  expect((await ask(port, "/api/users/")).status).toBe(200);
  await rename(`${missing}.away`, missing);
  await until(() => releaseOf(server).folder === next);
});

test("keeps serving when current vanishes", async () => {
  const { server, port, dist, lines } = await serving({}, {}, { watchMs: 10 });
  await rm(join(dist, "current"));
  await until(() => lines.length > 0);
  await writeFile(join(dist, "current"), "no link");
  await server.reload();
  expect((await ask(port, "/api/users/?page=2")).status).toBe(200);
  await rm(join(dist, "current"));
  const next = await publish(dist, { bio: "next" });
  await until(() => releaseOf(server).folder === next);
});

test("of the whole dist is followed like one of current", async () => {
  const parent = scratch();
  const [one, two, dist] = ["one", "two", "dist"].map((name) => join(parent, name)) as [string, string, string];
  await publish(one, { bio: "one" });
  const next = await publish(two, { bio: "two" });
  await symlink("one", dist);
  const { server } = await serving({}, { dist }, { watchMs: 10 });
  await symlink("two", join(parent, "aside"));
  await rename(join(parent, "aside"), dist);
  await until(() => releaseOf(server).folder === next);
});

test("to the same release is silent; reload reads an overwritten one again", async () => {
  const dist = await freshDist();
  const switches: string[] = [];
  const onSwitch = ({ id }: Site) => void switches.push(id);
  const server = await createListingServer({ dist }, { log() {}, onSwitch }, { ...SERVER_LIMITS, watchMs: 600_000 });
  onTestFinished(() => server.close());
  await server.reload();
  expect(switches).toEqual([]);
  const { folder, snapshot } = releaseOf(server);
  const next = await writeRelease(dist, { bio: "next" });
  await rename(folder, `${folder}.away`);
  await rename(next, folder);
  await server.reload();
  expect(releaseOf(server).snapshot.id).not.toBe(snapshot.id);
  expect(switches).toEqual([releaseOf(server).snapshot.id]);
});

test("shutdown does not wait for a release that is being opened, and many signals open it once", async () => {
  const { server, port, dist, lines } = await serving({}, {}, { watchMs: 600_000 });
  const next = await publish(dist, { others: { "large.bin": "its bytes are others by now" } });
  await truncate(join(next, "large.bin"), 2 ** 36);
  const [running, ...waiting] = Array.from({ length: 50 }, () => server.reload());
  expect(new Set(waiting).size, "one waits for all that ask meanwhile").toBe(1);
  await until(() => openFiles(join(next, "large.bin")).length > 0);
  const closed = server.close();
  await expect(sendAndClose(port, "GET / HTTP/1.1\r\nHost: a\r\n\r\n"), "a new connection").resolves.toBe("");
  await Promise.all([closed, running, ...waiting]);
  expect(lines, "nothing was read to its end and refused").toEqual([]);
});

test("an unchanged page stays cached", async () => {
  const dist = scratch();
  const first = await publish(dist);
  const { server, port } = await serving({}, { dist });
  await ask(port, "/api/users/");
  // The pages are the same; the additional file makes it another release.
  const second = await publish(dist, { others: { "note.txt": "another" } });
  await server.reload();
  expect(releaseOf(server).folder).toBe(second);
  await rm(join(first, USER_PAGES.path(1)));
  await rm(join(second, USER_PAGES.path(1)));
  expect((await ask(port, "/api/users/")).status).toBe(200);
});

test("a request that began before a switch gets the old release", async () => {
  const dist = await freshDist();
  const server = await createListingServer({ dist });
  // The switch happens between the request and its first read of the disk.
  const other = createServer((req, res) => {
    server.handler(req, res);
    void publish(dist, { bio: "next", count: 3 }).then(() => server.reload());
  }).listen(0);
  const { port } = other.address() as AddressInfo;
  const before = releaseOf(server);
  const { headers, body } = await ask(port, "/api/users/?page=3");
  expect(headers).toMatchObject({
    "snapshot-id": before.snapshot.id,
    etag: `"${before.sums.pages.get(3, "identity")}"`,
  });
  expect(JSON.parse(body.toString()).count).toBe(5);
  await until(() => releaseOf(server) !== before);
  other.close();
  await server.close();
});
