/** `rollcall verify URL` names what a host serves instead of the release, and handles failing hosts. */
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { RELEASES } from "../../src/core/release/layout.js";
import { openRelease } from "../../src/core/release/open.js";
import { createListingServer } from "../../src/serve/serve.js";
import { openAgainst } from "../../src/verify/verify.js";
import { publish, switchTo, writeRelease } from "../serve/release.js";
import { scratch } from "../support/files.js";
import { type Front, front } from "../support/front.js";
import { releaseOf } from "../support/served.js";
import { verdictOf } from "./verdict-of.js";

/** Serves some pages from an older release of the same `dist`, and verifies against the current one. */
async function withOlder(which: (page: number) => boolean) {
  const one = await front({ count: 9 });
  const older = await openRelease(await writeRelease(one.dist, { baseUrl: one.baseUrl, count: 9, bio: "old" }));
  const host = await createListingServer({ dist: older.folder });
  onTestFinished(() => host.close());
  one.intercept((req, res) => {
    const page = Number(/page=(\d+)$/.exec(req.url ?? "")?.[1] ?? 1);
    (which(page) ? host : one.host).handler(req, res);
  });
  const site = await openAgainst(undefined, one.dist, ".");
  const release = site?.listings[0]?.release;
  const { rows } = await verdictOf({ concurrency: 8, baseUrl: one.baseUrl, against: release });
  return { row: rows.find(({ name }) => name === "same-bytes"), id: release?.snapshot.id };
}

describe("names what is served instead", () => {
  test("one stale page", async () => {
    const { row, id } = await withOlder((page) => page === 3);
    expect(row).toMatchObject({
      count: 1,
      note: "differing pages: 1 of 5, by a stale cache, or servers with different releases",
      findings: [{ page: 3, expected: expect.stringContaining(`page 3 of release ${id}`) }],
    });
  });

  test("all of an older release", async () => {
    const one = await front({ count: 9, bio: "old" });
    const against = await openRelease(await writeRelease(scratch(), { baseUrl: one.baseUrl, count: 9, bio: "new" }));
    const { rows } = await verdictOf({ concurrency: 8, baseUrl: one.baseUrl, against });
    expect(rows.find(({ name }) => name === "same-bytes")).toMatchObject({
      count: 5,
      note: `the host serves release ${releaseOf(one.host).snapshot.id}: the expected one has not been deployed there`,
    });
  });
});

test("compares with the current release, a named one, or none", async () => {
  const dist = scratch();
  expect(await openAgainst(undefined, dist, ".")).toBeUndefined();
  const first = await publish(dist, { count: 1 });
  const second = await publish(dist, { count: 2 });
  const idOf = async (name: string | undefined) => (await openAgainst(name, dist, "."))?.folder;
  expect(await idOf(undefined)).toBe(second);
  await switchTo(dist, first);
  expect(await idOf(undefined)).toBe(first);
  expect(await idOf(second)).toBe(second);
  expect(await idOf(second.slice(-12))).toBe(second);
  await expect(openAgainst("zz", dist, ".")).rejects.toThrow(/"zz" is neither the beginning of a release's id/);
  expect(await openAgainst("none", dist, ".")).toBeUndefined();
  expect(join(dist, RELEASES)).toBe(join(first, ".."));
});

describe("a host that fails during verification", () => {
  const answers = (one: Front, when: RegExp, answer: (res: ServerResponse) => unknown) =>
    one.intercept((req, res) => (when.test(`${req.method} ${req.url}`) ? answer(res) : false));
  const differing = async (one: Front, timeoutMs = 5000) => {
    const against = await openRelease(releaseOf(one.host).folder);
    const { rows } = await verdictOf({ concurrency: 8, baseUrl: one.baseUrl, timeoutMs, against });
    return rows.filter(({ outcome }) => outcome === "differs");
  };

  test.each([500, 403])("%i for every request: says the likely cause", async (status) => {
    const one = await front({ count: 9 });
    answers(one, /./, (res) => res.writeHead(status, { "Content-Type": "text/html" }).end("<h1>Error</h1>"));
    const said = `answers ${status} (text/html) instead of`;
    const cause = "The server's user probably cannot read the release";
    const against = await openRelease(releaseOf(one.host).folder);
    await expect(verdictOf({ concurrency: 8, baseUrl: one.baseUrl })).rejects.toThrow(
      `${said} the snapshot.json of a release. ${cause}`,
    );
    await expect(verdictOf({ concurrency: 8, baseUrl: one.baseUrl, against })).rejects.toThrow(
      `${said} a page. ${cause}`,
    );
  });

  test("a page without a response is one finding", async () => {
    const one = await front({ count: 9 });
    answers(one, /page=3$/, () => {});
    const found = {
      page: 3,
      found: "no page: it did not answer in full within 5 seconds",
      expected: "200 with a page",
    };
    expect(await differing(one)).toMatchObject([{ name: "pages", count: 1, findings: [found] }]);
  });

  test("a check without a response is one row", async () => {
    const one = await front({ count: 9 });
    answers(one, /page=abc$/, () => {});
    expect(await differing(one)).toMatchObject([
      { name: "page-word", received: "no answer: it did not answer in full within 5 seconds" },
    ]);
  });

  test("gives up after repeated failures", async () => {
    const one = await front({ count: 60, pageSize: 1 });
    answers(one, /^GET .*page=[2-9]\d*$/, () => {});
    const against = await openRelease(releaseOf(one.host).folder);
    await expect(verdictOf({ concurrency: 8, baseUrl: one.baseUrl, timeoutMs: 1000, against })).rejects.toThrow(
      /page=\d+ did not answer in full within 1 seconds\.$/,
    );
    expect(one.asked.filter((line) => /page=[2-9]\d*$/.test(line)).length).toBeLessThan(40);
  });

  test("reads again after a switch during reading", async () => {
    const one = await front({ count: 9 });
    let switched = false;
    one.intercept((req, res) => {
      if (!req.url?.endsWith("page=4") || switched) return false;
      switched = true;
      void publish(one.dist, { baseUrl: one.baseUrl, count: 7, bio: "new" })
        .then(() => one.host.reload())
        .then(() => one.host.handler(req, res));
    });
    const { rows } = await verdictOf({ concurrency: 8, baseUrl: one.baseUrl });
    expect(rows.filter(({ outcome }) => outcome === "differs")).toEqual([]);
  });
});
