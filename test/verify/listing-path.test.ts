/** `verify` of hosts whose listing is not of users: by the contract that the host carries. */
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openRelease } from "../../src/release/open.js";
import { verifyUrl } from "../../src/verify/site/site.js";
import { type Front, front } from "../support/front.js";
import { STATIONS_CONTRACT, stationsAt } from "../support/stations.js";

async function rowsOf({ baseUrl, dist }: Front, isCompared: boolean) {
  const against = isCompared ? await openRelease(join(dist, "current")) : undefined;
  return (await verifyUrl({ baseUrl, against })).rows;
}

/** What only a signed release has, or one with all records in a few files, with steps, a look-up or a page for people. */
const NOT_ASKED = [
  ...["bulk", "changes", "lookup", "explorer", "signature", "part-type", "part-range", "part-if-range", "part-beyond"],
  ...["explorer-page", "explorer-slash", "explorer-headers"],
];

async function differing(one: Front, isCompared = true) {
  return (await rowsOf(one, isCompared)).filter(({ outcome }) => outcome === "differs");
}

describe.each([
  ["/v1/stations/", STATIONS_CONTRACT, ""],
  ["/v1.0/a~b/stations/", stationsAt("/v1.0/a~b/stations/"), "/weather"],
] as const)("%s below %j", (path, contract, base) => {
  const shape = { contract, count: 9, encodings: ["br", "gzip"] } as const;

  test.each([true, false])("a right host passes every check; compared with a release: %s", async (isCompared) => {
    const one = await front({ ...shape, encodings: [...shape.encodings] }, base);
    const rows = await rowsOf(one, isCompared);
    expect(rows.filter(({ outcome }) => outcome !== "passed").map(({ name }) => name)).toEqual(NOT_ASKED);
    expect(rows.find(({ name }) => name === "files")).toMatchObject({ request: "3 files" });
    expect(one.asked[0]).toBe(`GET ${base}/contract.json`);
    expect(one.asked.filter((line) => line.includes("/api/users"))).toEqual([]);
    expect(one.asked).toContain(`GET ${base}${path}?format=api&page=01`);
  });

  test("a missing slash that leads to users, and a number that is none but is answered", async () => {
    const one = await front({ contract, count: 9 }, base);
    one.intercept((req, res) => {
      if (req.url === `${base}${path.slice(0, -1)}`)
        return res.writeHead(301, { Location: `${base}/api/users/` }).end();
      if (!req.url?.endsWith("page=01")) return false;
      req.url = `${base}${path}?page=1`;
      return one.host.handler(req, res);
    });
    expect((await differing(one)).map(({ name }) => name)).toEqual(
      expect.arrayContaining(["page-leading-zero", "missing-slash"]),
    );
  });
});

test("another contract than the one that SHA256SUMS lists", async () => {
  const one = await front({ contract: STATIONS_CONTRACT, count: 3 });
  const other = STATIONS_CONTRACT.text.replace('"A weather station."', '"Any station."');
  one.intercept((req, res) =>
    req.url === "/contract.json" ? res.writeHead(200, { "Content-Type": "application/json" }).end(other) : false,
  );
  for (const isCompared of [true, false]) {
    const rows = await differing(one, isCompared);
    expect(rows.find(({ name }) => name === "files")?.findings[0]).toMatchObject({
      url: `${one.baseUrl}/contract.json`,
      expected: expect.stringMatching(/^"[0-9a-f]{64}"$/),
    });
  }
});

test("a contract that is none is told at once", async () => {
  const one = await front({ contract: STATIONS_CONTRACT });
  one.intercept((req, res) => (req.url === "/contract.json" ? res.end('{"type":"object"}') : false));
  await expect(differing(one)).rejects.toThrow(`${one.baseUrl}/contract.json is no contract: `);
});

test("the listing's own URL is told", async () => {
  const one = await front({ contract: STATIONS_CONTRACT });
  await expect(verifyUrl({ baseUrl: `${one.baseUrl}/v1/stations/` })).rejects.toThrow(
    `is of the listing itself, and every link adds /v1/stations/; give ${one.baseUrl}.`,
  );
});

test("a base URL may end as that of users does, where the host's listing is another", async () => {
  const one = await front({ contract: STATIONS_CONTRACT }, "/api/users");
  const [first, ...others] = await differing(one);
  expect([first, others]).toEqual([undefined, []]);
});
