/** A listing at another path than that of users, below any base path, and a switch between paths while serving. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createFastReader } from "../../src/server/fast-path/request.js";
import { STATIONS_CONTRACT, stationsAt } from "../support/stations.js";
import { until } from "../support/until.js";
import { publish } from "./release.js";
import { ask, open, received, serving } from "./running.js";

const ODD = stationsAt("/v1.0/a~b-c_d/stations/");

describe.each([
  ["/v1/stations/", STATIONS_CONTRACT, ""],
  ["/v1.0/a~b-c_d/stations/", ODD, "/weather"],
] as const)("%s below %j", (path, contract, base) => {
  const shape = { contract, count: 5, pageSize: 2, baseUrl: `https://example.com${base}` };
  const listing = `${base}${path}`;
  const pageOf = (folder: string, page: number) => readFileSync(join(folder, `${path.slice(1)}pages/${page}.json`));

  test("serves pages by query and by path, with and without the fast path", async () => {
    for (const limits of [{}, { fastBytes: 0 }]) {
      const { port, server } = await serving(shape, {}, limits);
      for (const [target, page] of [
        [listing, 1],
        [`${listing}?format=api&page=2`, 2],
        [`${listing}?page=3`, 3],
        [`${listing}pages/2.json`, 2],
      ] as const) {
        const { status, body, headers } = await ask(port, target);
        expect([target, status]).toEqual([target, 200]);
        expect(body.equals(pageOf(server.release.folder, page)), target).toBe(true);
        expect(headers.etag).toBe(`"${server.release.sums.pages.get(page, "identity")}"`);
      }
    }
  });

  test("redirects a missing slash, and refuses other paths", async () => {
    const { port } = await serving(shape);
    const { status, headers } = await ask(port, `${listing.slice(0, -1)}?page=2`);
    expect([status, headers.location]).toEqual([301, `${listing}?page=2`]);
    for (const none of [`${listing}?page=4`, `${listing}pages/4.json`, `${listing}pages/x.json`])
      expect((await ask(port, none)).body.toString()).toBe('{"detail":"Invalid page."}');
    const others = [`${base}/api/users/`, `${base}/api/users/pages/1.json`, listing.replace(".", "x"), `${listing}x`];
    for (const none of others.filter((target) => target !== listing))
      expect([none, (await ask(port, none)).body.toString()]).toEqual([none, '{"detail":"Not found."}']);
  });

  test("the fast path serves its pages, and no other path", () => {
    const read = createFastReader(listing);
    const plain = (target: string) => read(`GET ${target}?page=2 HTTP/1.1\r\nHost: a\r\n\r\n`, 0);
    expect(plain(listing)).toMatchObject({ page: 2, url: `${listing}?page=2` });
    for (const other of ["/api/users/", `${listing}x/`, `/x${listing}`, listing.replace("v1", "v11")])
      expect(plain(other), other).toBe(undefined);
    if (path.includes(".")) expect(plain(listing.replace(".", "x"))).toBe(undefined);
  });
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
  const [v1, v2, users] = ["/v1/stations/?page=1", "/v2/stations/?page=1", "/api/users/?page=1"];
  expect([await get(v1), await get(v2), await get(users)]).toEqual([200, 404, 404]);
  await publish(dist, { ...base, contract: stationsAt("/v2/stations/") });
  await server.reload();
  expect([await get(v1), await get(v2), await get(users)]).toEqual([404, 200, 404]);
  await publish(dist, base);
  await server.reload();
  expect([await get(v1), await get(v2), await get(users)]).toEqual([404, 404, 200]);
  socket.destroy();
});
