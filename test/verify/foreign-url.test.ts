/** `rollcall verify URL` of listings that are not of users: the real host has no finding, and faults are found by their rows. */
import { describe, expect, test } from "vitest";
import { openRelease } from "../../src/release/open.js";
import { verifyUrl } from "../../src/verify/site/site.js";
import { passed, type Verdict } from "../../src/verify/verdict.js";
import type { Shape } from "../server/release.js";
import { type Front, front, type Reply } from "../support/front.js";
import { STATIONS_CONTRACT, stationsAt } from "../support/stations.js";

const differing = ({ rows }: Verdict) => rows.filter(({ outcome }) => outcome === "differs").map(({ name }) => name);

describe("rollcall's own host has no finding", () => {
  const SHAPES: [string, Shape, string][] = [
    ["plain", { count: 11, contract: STATIONS_CONTRACT }, ""],
    ["compressed, below a path", { count: 11, contract: STATIONS_CONTRACT, encodings: ["br", "gzip"] }, "/weather"],
    ["linked by path, at a path of its own", { contract: stationsAt("/~w/a.b/"), links: "path" }, ""],
    ["of none", { count: 0, contract: STATIONS_CONTRACT }, ""],
  ];
  test.each(SHAPES)("%s", async (_name, shape, path) => {
    const { baseUrl, host } = await front(shape, path);
    for (const against of [undefined, await openRelease(host.release.folder)]) {
      const verdict = await verifyUrl({ baseUrl, against });
      expect(verdict.rows.filter(({ outcome }) => outcome === "differs")).toEqual([]);
      expect(passed(verdict)).toBe(true);
      expect(verdict.words).toEqual(["station", "stations"]);
      expect(verdict.rows.find(({ name }) => name === "unique-keys")?.rule).toBe("no two stations have the same code");
    }
  });
});

/** Changes the bodies of a page, or of a file, however they are asked for. */
const body = (target: string | RegExp, change: (text: string) => string) => (one: Front) =>
  one.edit(({ url = "" }, reply) => {
    if (
      reply.status !== 200 ||
      reply.body.length === 0 ||
      !(typeof target === "string" ? url === target : target.test(url))
    )
      return undefined;
    const changed = Buffer.from(change(reply.body.toString()));
    return { ...reply, body: changed, headers: withLength(reply.headers, changed.length) };
  });

function withLength(headers: Reply["headers"], length: number): Reply["headers"] {
  return headers.map(([name, value]) => [name, name === "Content-Length" ? String(length) : value]);
}

const page = (number: number) =>
  new RegExp(`/v1/stations/(?:pages/${number}\\.json|\\?(?:format=api&)?page=${number})$`);
const swap = (text: string) => text.replace(/\n([^\n]*),\n([^\n]*)\n/, "\n$2,\n$1\n");

describe("a fault is found", () => {
  const FAULTS: [what: string, make: (one: Front) => unknown, rows: string[], found: RegExp][] = [
    [
      "two stations out of order",
      body(page(2), swap),
      ["order"],
      /^(?:country|opened|code) "[^"]*" after "[^"]*"(?:, of equal .*)?$/,
    ],
    [
      "a station that its contract refuses",
      body(page(3), (text) => text.replace(/"latitude":[^,]*/, '"latitude":91')),
      ["records"],
      /^position\.latitude 91$/,
    ],
    [
      "a station twice",
      body(page(3), (text) => text.replace(/\n([^\n]*),\n[^\n]*\n/, "\n$1,\n$1\n")),
      ["unique-keys"],
      /^2 times, on page 3$/,
    ],
    [
      "members in another order",
      body(page(2), (text) => text.replace(/("closed":[^,]*),("code":[^,]*)/, "$2,$1")),
      ["canonical"],
      /code/,
    ],
    [
      "a contract of other stations",
      body("/contract.json", (text) => text.replace("[A-Z0-9]{4,8}", "[A-Z0-9]{4,7}")),
      ["records", "files"],
      /^code "ST00000\d"$/,
    ],
  ];
  test.each(FAULTS)("%s", async (_what, make, rows, found) => {
    const one = await front({ count: 11, contract: STATIONS_CONTRACT });
    make(one);
    const verdict = await verifyUrl({ baseUrl: one.baseUrl });
    expect(differing(verdict)).toEqual(expect.arrayContaining(rows));
    const all = verdict.rows.filter(({ name }) => name === rows[0]).flatMap(({ findings }) => findings);
    expect(all).toContainEqual(expect.objectContaining({ found: expect.stringMatching(found) }));
  });

  test("a contract that is none ends the verification with its mistake", async () => {
    const one = await front({ count: 3, contract: STATIONS_CONTRACT });
    body("/contract.json", (text) => text.replace('"x-facet"', '"x-facets"'))(one);
    await expect(verifyUrl({ baseUrl: one.baseUrl })).rejects.toThrow(/contract\.json is no contract: .*x-facets/);
  });
});
