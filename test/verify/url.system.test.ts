/** `rollcall verify URL`: correct hosts have no finding, and each fault is found by its own rows. */
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { HostError } from "../../src/core/errors.js";
import { openRelease } from "../../src/core/release/open.js";
import { CHECK_NAMES, HOST_ROWS } from "../../src/verify/url/listing.js";
import type { Verdict } from "../../src/verify/verdict.js";
import type { Shape } from "../serve/release.js";
import { type Front, front } from "../support/front.js";
import { releaseOf } from "../support/served.js";
import { STATIONS_CONTRACT, stationsAt } from "../support/stations.js";
import { breakBy, CONTENT, type Fault, FULL, LIES, RUNS, SHAPE } from "./faults.js";
import { verdictOf } from "./verdict-of.js";

const differing = ({ rows }: Verdict) => rows.filter(({ outcome }) => outcome === "differs").map(({ name }) => name);
const HOST_NAMES = HOST_ROWS.map(({ name }) => name);
const row = ({ rows }: Verdict, name: string) => rows.find((row) => row.name === name);

/** Rows that need a signed release, or one with bulk files, steps, a lookup or an explorer. */
const NOT_ASKED = [
  ...[
    "signature",
    "part-type",
    "part-range",
    "part-beyond",
    "part-if-range",
    "explorer-page",
    "explorer-query",
    "explorer-caching",
    "explorer-slash",
    "explorer-headers",
  ],
];
/** Rows of a downloaded release without optional files and compressed pages. */
const NOT_KEPT = [
  ...[
    "compressed",
    "bulk",
    "csv",
    "parquet",
    "data-package",
    "changes",
    "feed",
    "lookup",
    "explorer",
    "views",
    "readable",
  ],
];

describe("a correct host has no finding, compared with its release and alone", () => {
  const stations = { count: 11, contract: STATIONS_CONTRACT } as const;
  const SHAPES: [string, Shape, string][] = [
    ["users", { count: 11 }, ""],
    ["users, linked by path, gzip alone", { links: "path", encodings: ["gzip"] }, "/v1"],
    ["of one page", { count: 2 }, ""],
    ["of nobody", { count: 0 }, ""],
    ["stations, compressed, below a path", { ...stations, encodings: ["br", "gzip"] }, "/weather"],
    ["stations at a path of their own, linked by path", { contract: stationsAt("/~w/a.b/"), links: "path" }, ""],
    ["stations at the base URL itself", { contract: stationsAt("/") }, ""],
    ["stations at a base URL with a path, linked by path", { contract: stationsAt("/"), links: "path" }, "/weather"],
    ["no stations, below a path that ends as that of users does", { ...stations, count: 0 }, "/api/users"],
  ];
  test.each(SHAPES)("%s", async (_name, shape, path) => {
    const one = await front(shape, path);
    for (const against of [undefined, await openRelease(releaseOf(one.host).folder)]) {
      const verdict = await verdictOf({ concurrency: 8, baseUrl: one.baseUrl, against });
      expect(verdict.rows.filter(({ outcome }) => outcome === "differs")).toEqual([]);
      expect(verdict.rows.map(({ name }) => name)).toEqual(against ? HOST_NAMES : CHECK_NAMES);
      if (shape.encodings?.length === 2)
        expect(new Set(verdict.rows.filter(({ outcome }) => outcome !== "passed").map(({ name }) => name))).toEqual(
          new Set(against ? NOT_ASKED : [...NOT_ASKED, ...NOT_KEPT]),
        );
      if (!shape.contract) continue;
      expect(verdict.words).toEqual(["station", "stations"]);
      expect(one.asked.filter((line) => line.includes(`${path}/api/users`))).toEqual([]);
    }
  });

  test("reads a sample from the first page to the last", async () => {
    const { baseUrl, asked } = await front({ count: 41, pageSize: 2 });
    const verdict = await verdictOf({ concurrency: 8, baseUrl, sample: 3 });
    expect(differing(verdict)).toEqual([]);
    expect(verdict.rows[0]?.request).toBe("3 of 21 pages");
    const read = asked.filter((line) => /^GET .*page=(1|11|21)$/.test(line));
    expect(new Set(read)).toEqual(new Set([1, 11, 21].map((page) => `GET /api/users/?format=api&page=${page}`)));
  });
});

let plain: Front;
let full: Front;
beforeAll(async () => {
  plain = await front(SHAPE, "", afterAll);
  full = await front(FULL, "", afterAll);
});

/** Verifies the host with these faults. */
async function withFaults(faults: readonly Fault[], isCompared = true, one = plain): Promise<string[]> {
  one.reset();
  await breakBy(one, faults, onTestFinished);
  const against = isCompared ? await openRelease(releaseOf(one.host).folder) : undefined;
  return differing(await verdictOf({ concurrency: 8, baseUrl: one.baseUrl, against, timeoutMs: 20_000 }));
}

const rowsOf = (faults: readonly Fault[], isCompared = true) => {
  const rows = faults.flatMap(([, , compared, alone = compared]) => (isCompared ? compared : alone).split(" "));
  return CHECK_NAMES.filter((name) => rows.includes(name));
};

describe("finds faults, also several at once", () => {
  test.each(RUNS.map((faults) => [faults.map(([what]) => what).join("; "), faults] as const))(
    "%s",
    async (_, faults) => {
      expect(await withFaults(faults)).toEqual(rowsOf(faults));
      // Each fault has a row that no other fault causes.
      for (const fault of faults.filter(([, , rows]) => rows !== ""))
        expect(rowsOf(faults.filter((other) => other !== fault))).not.toEqual(rowsOf(faults));
      const names = faults.flatMap(([, , rows, alone = rows]) => `${rows} ${alone}`.split(" "));
      expect(names.filter((name) => name !== "" && !CHECK_NAMES.includes(name))).toEqual([]);
    },
  );

  test("none in a release with a web page, a part and a CSV file", async () => {
    expect(await withFaults([], true, full)).toEqual([]);
  });

  test.each(LIES)("%s", async (...fault) => {
    expect(await withFaults([fault], true, full)).toEqual(rowsOf([fault]));
  });

  test.each(CONTENT.map((faults) => [faults.map(([what]) => what).join("; "), faults] as const))(
    "%s, compared and alone",
    async (_, faults) => {
      expect(await withFaults(faults)).toEqual(rowsOf(faults));
      expect(await withFaults(faults, false)).toEqual(rowsOf(faults, false));
    },
  );

  test.each(RUNS.flat().filter(([, , , alone]) => alone !== undefined))("%s, alone", async (...fault) => {
    expect(await withFaults([fault], false)).toEqual(rowsOf([fault], false));
  });
});

test("a count that promises millions of pages does not reserve memory", async () => {
  const many = await front({ count: 11, pageSize: 1 });
  many.edit(({ url }, reply) =>
    url === "/snapshot.json"
      ? { ...reply, body: Buffer.from(String(reply.body).replace(/"pages":11\b/, '"pages":90000000')), headers: [] }
      : undefined,
  );
  await expect(verdictOf({ concurrency: 8, baseUrl: many.baseUrl })).rejects.toThrow(
    "serves no release: SHA256SUMS: found a file that is too short for 90000000 page files",
  );
});

test("a page that cannot be downloaded is a finding, and the release is not looked at", async () => {
  const { baseUrl, edit } = await front({ count: 11 });
  edit(({ url }, reply) => (/page=3(&|$)/.test(url ?? "") ? { ...reply, status: 404 } : undefined));
  const verdict = await verdictOf({ concurrency: 8, baseUrl });
  expect(differing(verdict)).toEqual(["pages", "download"]);
  const url = `${baseUrl}/api/users/?format=api&page=3`;
  expect(row(verdict, "download")?.findings).toMatchObject([{ url, found: expect.stringContaining("404") }]);
  expect(row(verdict, "records")).toMatchObject({ outcome: "skipped", note: "the release could not be downloaded" });
});

describe("a form of link that does not work", () => {
  const queries = /\/api\/users\/?\?/;

  test("is an error if the release has it", async () => {
    const one = await front({ count: 11 });
    one.edit(({ url }, reply) => (queries.test(url ?? "") ? { ...reply, status: 404 } : undefined));
    const against = await openRelease(releaseOf(one.host).folder);
    const error = await verdictOf({ concurrency: 8, baseUrl: one.baseUrl, against }).catch((error: unknown) => error);
    // Its exit code is 1.
    expect(error).toBeInstanceOf(HostError);
    expect(String(error)).toContain(
      `${one.baseUrl}/api/users/pages/1.json is page 1, but next and previous have the other form, so no link works on this host: build with --links path.`,
    );
  });

  test("is a finding if only one page lacks it, and skipped if all do", async () => {
    const one = await front({ count: 11, links: "path" });
    const against = await openRelease(releaseOf(one.host).folder);
    const verified = async (broken: RegExp) => {
      one.edit(({ url }, reply) => (broken.test(url ?? "") ? { ...reply, status: 404 } : undefined));
      return row(await verdictOf({ concurrency: 8, baseUrl: one.baseUrl, against }), "both-forms");
    };
    expect(await verified(/page=6$/)).toMatchObject({ outcome: "differs", findings: [{ page: 6 }] });
    expect(await verified(queries)).toMatchObject({ outcome: "skipped", note: "the host maps no query to a page" });
  });
});

test("skips a check if the response does not allow one", async () => {
  const plain = await front({ count: 11 });
  plain.edit(({ method, url }, reply) =>
    method === "POST" ? { ...reply, status: 501 } : url?.endsWith("page=0") ? { ...reply, status: 200 } : undefined,
  );
  const verdict = await verdictOf({ concurrency: 8, baseUrl: plain.baseUrl });
  expect(row(verdict, "method-detail")).toMatchObject({ outcome: "skipped", note: "the answer is not a 405" });
  expect(row(verdict, "error-vary")).toMatchObject({ outcome: "skipped", note: "the answer is not a 404" });
  expect(row(verdict, "gzip-vary")).toMatchObject({ outcome: "skipped", note: "no answer is in gzip" });
  expect(row(verdict, "explorer-page")).toMatchObject({ outcome: "skipped", note: "it has no index.html" });
  expect(differing(verdict)).toEqual(["page-0", "post"]);
  // A coding that page 1 does not have is not requested for other pages. The download needs no request of its own.
  expect(verdict.asked?.codings).toEqual(["identity"]);
  expect(plain.asked.filter((line) => line === "GET /api/users/?format=api&page=4")).toHaveLength(1);
});

test("names a byte order mark before a page, and goes on", async () => {
  plain.reset();
  await breakBy(
    plain,
    RUNS.flat().filter(([what]) => what.includes("byte order mark")),
    onTestFinished,
  );
  const verdict = await verdictOf({ concurrency: 8, baseUrl: plain.baseUrl });
  expect(row(verdict, "pages")?.findings[0]).toMatchObject({
    page: 1,
    found: "a byte order mark before the page",
    expected: "200 with a page",
  });
  expect(row(verdict, "page-0")).toMatchObject({ outcome: "passed" });
});

test("says why a check does not apply to a release", async () => {
  const { baseUrl } = await front({ count: 2, contract: stationsAt("/") });
  const verdict = await verdictOf({ concurrency: 8, baseUrl });
  for (const [name, note] of [
    ["other-parameters", "there is one page only"],
    ["missing-slash", "a URL without a path has its slash"],
    ["explorer-slash", "it has no index.html"],
    ["part-type", "it has no parts or steps"],
  ] as const)
    expect(row(verdict, name)).toMatchObject({ outcome: "skipped", note });
});

describe("a host of stations", () => {
  let weather: Front;
  beforeAll(async () => {
    weather = await front({ count: 11, contract: STATIONS_CONTRACT }, "/weather", afterAll);
  });

  /** Changes texts of responses by URL. */
  function change(changes: readonly [where: RegExp, change: (text: string) => string][]): void {
    weather.reset();
    weather.edit(({ url = "" }, reply) => {
      if (reply.status !== 200 || reply.body.length === 0) return undefined;
      const body = changes.reduce((text, [where, make]) => (where.test(url) ? make(text) : text), String(reply.body));
      const length = `${Buffer.byteLength(body)}`;
      const headers = reply.headers.map(([name, value]): [string, string] => [
        name,
        name === "Content-Length" ? length : value,
      ]);
      return { ...reply, body: Buffer.from(body), headers };
    });
  }

  test("finds another contract, and one that SHA256SUMS does not list", async () => {
    change([[/contract\.json$/, (text) => text.replace("[A-Z0-9]{4,8}", "[A-Z0-9]{4,7}")]]);
    const verdict = await verdictOf({ concurrency: 8, baseUrl: weather.baseUrl });
    expect(row(verdict, "records")?.findings[0]?.found).toMatch(/^code "ST00000\d"$/);
    const against = await openRelease(releaseOf(weather.host).folder);
    for (const compared of [verdict, await verdictOf({ concurrency: 8, baseUrl: weather.baseUrl, against })])
      expect(row(compared, "files")?.findings[0]).toMatchObject({
        url: `${weather.baseUrl}/contract.json`,
        expected: expect.stringMatching(/^"?[0-9a-f]{64}/),
      });
  });

  test("an invalid contract, and the listing's own URL, end the verification", async () => {
    change([[/contract\.json$/, (text) => text.replace('"x-facet"', '"x-facets"')]]);
    await expect(verdictOf({ concurrency: 8, baseUrl: weather.baseUrl })).rejects.toThrow(
      /serves no release: contract\.json: found .*x-facets/,
    );
    weather.reset();
    await expect(verdictOf({ concurrency: 8, baseUrl: `${weather.baseUrl}/v1/stations/` })).rejects.toThrow(
      `instead of the snapshot.json of a release. Is ${weather.baseUrl}/v1/stations the base URL?`,
    );
  });
});
