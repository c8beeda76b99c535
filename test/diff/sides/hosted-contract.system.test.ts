/** How a diff reads the contract of a host: any listing path, invalid contracts, and switches. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readFrame } from "../../../src/core/contract/envelope.js";
import { MAX_CONTRACT } from "../../../src/core/contract/file/form.js";
import { USERS_CONTRACT } from "../../../src/core/contract/users.js";
import { UserError } from "../../../src/core/errors.js";
import { openHostSide } from "../../../src/diff/sides/remote.js";
import { publish } from "../../serve/release.js";
import { scratch } from "../../support/files.js";
import { type Front, front } from "../../support/front.js";
import { STATIONS_CONTRACT, stationsAt } from "../../support/stations.js";

const read = (url: string, folder = scratch()) =>
  openHostSide(url, folder, { onProgress: () => {}, signal: undefined });

async function refusal(url: string): Promise<string> {
  const error = await read(url).catch((error: unknown) => error);
  expect(error).toBeInstanceOf(UserError);
  return (error as UserError).message;
}

/** Serves a text as contract.json, on a host without digests, since with digests only listed files are read. */
function giving({ intercept }: Front, text: string, status = 200, type = "application/json"): void {
  intercept((req, res) => {
    if (req.url?.endsWith("/contract.json")) return res.writeHead(status, { "Content-Type": type }).end(text);
    return /SHA256SUMS|snapshot\.json/.test(req.url ?? "") ? res.writeHead(404).end() : false;
  });
}

describe("a listing of stations", () => {
  test.each([
    ["query", ""],
    ["path", ""],
    ["query", "/weather/all"],
    ["path", "/weather/all"],
  ] as const)("links by %s, base path %j: every page once", async (links, path) => {
    const one = await front({ contract: STATIONS_CONTRACT, count: 9, pageSize: 2, links }, path);
    const { facts, folder } = await read(one.baseUrl);
    expect(facts).toMatchObject({ count: 9, pages: 5, links, baseUrl: one.baseUrl });
    expect(facts.contract).toBe(STATIONS_CONTRACT);
    const pages = join(folder, "v1/stations/pages");
    const codes = readdirSync(pages).flatMap((name) => {
      const bytes = readFileSync(join(pages, name));
      return readFrame(bytes)?.records.map(([begin, end]) => JSON.parse(bytes.toString("utf8", begin, end)).code);
    });
    expect(new Set(codes).size).toBe(9);
    expect(one.asked.filter((line) => line.includes("/api/users/"))).toEqual([]);
  });

  test.each(["", "/weather"])(
    "below %j, asks whether the listing's own URL and a page's are the base URL",
    async (path) => {
      const one = await front({ contract: STATIONS_CONTRACT }, path);
      for (const own of ["/v1/stations", "/v1/stations/pages/2.json", "/v1/stations/other"]) {
        const url = `${one.baseUrl}${own}`;
        expect(await refusal(url)).toMatch(new RegExp(`Is ${url} the base URL\\?$`));
        // No request is sent to improve the message.
        expect(one.asked.filter((line) => !line.includes("/v1/stations/"))).toEqual([]);
      }
    },
  );

  test.each(["", "/weather"])(
    "at a base URL below %j, reads it, and asks whether a page's URL is the base URL",
    async (path) => {
      const one = await front({ contract: stationsAt("/"), count: 9, pageSize: 2 }, path);
      const { facts, folder } = await read(`${one.baseUrl}/`);
      expect(facts).toMatchObject({ count: 9, pages: 5, baseUrl: one.baseUrl, explorer: undefined });
      expect(readdirSync(join(folder, "pages"))).toHaveLength(5);
      const page = `${one.baseUrl}/pages/2.json`;
      expect(await refusal(page)).toMatch(new RegExp(`Is ${page} the base URL\\?$`));
    },
  );

  test("follows a switch to another listing path before the contract is read", async () => {
    const one = await front({ contract: STATIONS_CONTRACT, count: 3 });
    let isSwitched = false;
    one.intercept(async (req, res) => {
      if (!isSwitched && req.url === "/contract.json") {
        isSwitched = true;
        await publish(one.dist, { baseUrl: one.baseUrl, contract: stationsAt("/v2/stations/"), count: 5 });
        await one.host.reload();
      }
      one.host.handler(req, res);
    });
    const { facts } = await read(one.baseUrl);
    expect(facts).toMatchObject({ contract: stationsAt("/v2/stations/"), count: 5 });
  });
});

describe("a host without a contract is one of users", () => {
  test.each([
    ["404", 404, '{"detail":"Not found."}', "application/json"],
    ["403, as some stores answer for what is not there", 403, "<Error/>", "application/xml"],
    ["a web page", 200, "\n<!doctype html><title>Directory</title>", "text/html"],
    ["a redirect", 302, "", "text/html"],
  ])("%s", async (_what, status, text, type) => {
    const one = await front({ count: 3 });
    giving(one, text, status, type);
    expect((await read(one.baseUrl)).facts).toMatchObject({
      ...{ contract: USERS_CONTRACT, count: 3, id: undefined },
      name: `${one.baseUrl} (not verified, since it has no SHA256SUMS)`,
    });
  });
});

describe("refuses an invalid contract of a host in one line", () => {
  const { text } = STATIONS_CONTRACT;
  test.each([
    ["no JSON", "{"],
    ["deep", `${"[".repeat(200_000)}`],
    ["too large", `${text}${" ".repeat(MAX_CONTRACT)}`],
  ])("%s", async (_what, body) => {
    const one = await front({ contract: STATIONS_CONTRACT });
    giving(one, body);
    const message = await refusal(one.baseUrl);
    expect(message.startsWith(`${one.baseUrl}/`)).toBe(true);
    expect(message).not.toContain("\n");
  });

  test("one that has a mistake", async () => {
    const one = await front({ contract: STATIONS_CONTRACT });
    giving(one, text.replace('"x-facet"', '"x-facets"'));
    expect(await refusal(one.baseUrl)).toMatch(/contract\.json is not a contract: .*x-facets/);
  });

  test("a busy or failing host", async () => {
    const one = await front({ contract: STATIONS_CONTRACT });
    giving(one, "<h1>Error</h1>", 500, "text/html");
    expect(await refusal(one.baseUrl)).toMatch(/contract\.json has a wrong status: expected 200, received 500/);
  });
});
