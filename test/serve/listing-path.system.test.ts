/** A listing at another path than that of users, below any base path, and a switch between paths while serving. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { releaseOf } from "../support/served.js";
import { STATIONS_CONTRACT, stationsAt } from "../support/stations.js";
import { until } from "../support/until.js";
import { publish } from "./release.js";
import { ask, open, received, serving } from "./running.js";

const AT_BASE = stationsAt("/");

test("other paths than a listing's are not found, also where a dot of its path is another letter", async () => {
  const { port } = await serving({
    contract: stationsAt("/v1.0/a~b-c_d/stations/"),
    baseUrl: "https://example.com/weather",
  });
  const listing = "/weather/v1.0/a~b-c_d/stations/";
  expect((await ask(port, listing)).status).toBe(200);
  for (const none of [
    "/weather/api/users/",
    "/weather/api/users/pages/1.json",
    listing.replace(".", "x"),
    `${listing}x`,
  ])
    expect([none, (await ask(port, none)).body.toString()]).toEqual([none, '{"detail":"Not found."}']);
});

test.each(["", "/weather"])("the base URL itself below %j is page 1, and index.html the explorer", async (base) => {
  const others = { "index.html": "<!doctype html>\n", "explorer/app.js": "//\n", "pages.txt": "no page\n" };
  const shape = { contract: AT_BASE, count: 5, pageSize: 2, baseUrl: `https://example.com${base}`, others };
  const { port, server } = await serving(shape);
  const { folder, sums } = releaseOf(server);
  const typeOf = async (target: string, path: string) => {
    const { status, body, headers } = await ask(port, `${base}${target}`);
    expect([target, status]).toEqual([target, 200]);
    expect(body.equals(readFileSync(join(folder, path))), target).toBe(true);
    return headers["content-type"];
  };
  for (const first of ["/", "/?", "/?format=api", "/?page=1", "/?other=1", "/pages/1.json"])
    expect(await typeOf(first, "pages/1.json")).toBe("application/json");
  expect(await typeOf("/index.html", "index.html")).toBe("text/html; charset=utf-8");
  for (const path of ["explorer/app.js", "pages.txt", "contract.json", "snapshot.json"]) await typeOf(`/${path}`, path);
  const head = await ask(port, `${base}/`, { method: "HEAD" });
  expect([head.status, head.headers.etag, head.body.length]).toEqual([200, `"${sums.pages.get(1, "identity")}"`, 0]);
  for (const missing of ["/?page=4", "/?page=x", "/pages/4.json", "/pages/x.json"])
    expect((await ask(port, `${base}${missing}`)).body.toString()).toBe('{"detail":"Invalid page."}');
  for (const missing of ["/pages", "/pages/", "/pages/1.json/", "/explorer/", "/index.html/", "/1.json"])
    expect((await ask(port, `${base}${missing}`)).body.toString()).toBe('{"detail":"Not found."}');
});

test.each([{}, { fastBytes: 0 }])("a switch to another listing path on an open connection, with %j", async (limits) => {
  const base = { baseUrl: "https://example.com/a", count: 3 };
  const { port, server, dist } = await serving({ ...base, contract: STATIONS_CONTRACT }, {}, limits);
  const socket = open(port);
  const heard = received(socket);
  const get = async (target: string) => {
    const before = heard().length;
    socket.write(`GET /a${target} HTTP/1.1\r\nHost: a\r\n\r\n`);
    await until(() => heard().length > before);
    return Number(heard().slice(before).split(" ")[1]);
  };
  const targets = ["/v1/stations/?page=1", "/v2/stations/?page=1", "/api/users/?page=1", "/?page=1"];
  const statuses = async () => {
    const found: number[] = [];
    for (const target of targets) found.push(await get(target));
    return found;
  };
  expect(await statuses()).toEqual([200, 404, 404, 404]);
  await publish(dist, { ...base, contract: stationsAt("/v2/stations/") });
  await server.reload();
  expect(await statuses()).toEqual([404, 200, 404, 404]);
  await publish(dist, { ...base, contract: AT_BASE });
  await server.reload();
  expect(await statuses()).toEqual([404, 404, 404, 200]);
  await publish(dist, base);
  await server.reload();
  expect(await statuses()).toEqual([404, 404, 200, 404]);
  socket.destroy();
});
