/** `rollcall verify URL` of a site: faults of a host at the top, each of which its own rows find. */
import type { ServerResponse } from "node:http";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { openSiteRelease } from "../../src/core/release/site.js";
import { build } from "../../src/index.js";
import { verifySiteHost } from "../../src/verify/url/site.js";
import { passed, type Verdict } from "../../src/verify/verdict.js";
import { type Front, frontOf } from "../support/front.js";
import { SHOP, writeShop } from "../support/shop.js";
import { breakBy, type Fault, TOP_RUNS } from "./faults.js";

const LISTINGS = { customers: SHOP.customers, orders: SHOP.orders };

let shop: Front;
let release: string;
beforeAll(async () => {
  const publishAt = async (dist: string, baseUrl: string) => {
    const built = await build({ db: writeShop(dist), dist, baseUrl, listings: LISTINGS, explorer: true });
    release = built.folder;
  };
  shop = await frontOf(publishAt, "/shop", afterAll);
});

/** Verifies the host, compared with its release. */
async function verified(timeoutMs?: number): Promise<Verdict> {
  const against = await openSiteRelease(release);
  const shared = { cacheControl: undefined, sample: undefined, workers: 1 };
  return verifySiteHost({ ...shared, baseUrl: shop.baseUrl, concurrency: 4, timeoutMs, against });
}

const differing = ({ rows }: Verdict) => rows.filter(({ outcome }) => outcome === "differs").map(({ name }) => name);

test.each(TOP_RUNS.map((faults) => [faults.map(([what]) => what).join("; "), faults] as const))(
  "finds %s",
  async (_, faults) => {
    shop.reset();
    await breakBy(shop, faults, onTestFinished);
    const verdict = await verified();
    const rowsOf = (some: readonly Fault[]) => new Set(some.flatMap(([, , rows]) => rows.split(" ")));
    expect(new Set(differing(verdict))).toEqual(rowsOf(faults));
    for (const fault of faults) expect(rowsOf(faults.filter((other) => other !== fault))).not.toEqual(rowsOf(faults));
    expect(Object.values(verdict.listings ?? {}).map(passed)).toEqual([true, true]);
  },
);

const ZEROS = Buffer.alloc(2 ** 20);

test.each<[what: string, answer: (res: ServerResponse) => unknown, said: string, timeoutMs?: number]>([
  ["200 and JSON", (res) => res.end("{}"), "answers 200 (no Content-Type) instead of the snapshot.json of a site"],
  ["a redirect in a circle", (res) => res.writeHead(302, { Location: "/shop" }).end(), "a redirect (302)"],
  [
    "zeros without an end",
    (res) => {
      const more = () => {
        if (!res.destroyed) res.write(ZEROS, more);
      };
      more();
    },
    "answers more than the 67108864 bytes that are allowed",
  ],
  ["a byte, and then nothing", (res) => res.write("{"), "did not answer in full within 1 seconds", 1000],
])("a host that answers everything with %s is given up", async (_what, answer, said, timeoutMs) => {
  shop.reset();
  shop.intercept((_, res) => void answer(res));
  await expect(verified(timeoutMs)).rejects.toThrow(said);
});

test.each<[what: string, answer: (res: ServerResponse) => unknown, said: string, timeoutMs?: number]>([
  ["is zeros", (res) => res.end(Buffer.alloc(2 ** 26 + 1)), "answers more than the 67108864 bytes"],
  ["ends after its first byte", (res) => res.write("<"), "did not answer in full within 2 seconds", 2000],
  ["redirects in a circle", (res) => res.writeHead(302, { Location: "/shop/index.html" }).end(), "a redirect (302)"],
  ["breaks off", (res) => res.destroy(), "cannot be reached"],
])("one file at the top that %s is a finding", async (_what, answer, said, timeoutMs) => {
  shop.reset();
  shop.intercept(({ url }, res) => (url === "/shop/index.html" ? answer(res) : false));
  const verdict = await verified(timeoutMs);
  expect(differing(verdict)).toEqual(["site", "explorer-headers"]);
  expect(verdict.rows[0]?.findings[0]?.found).toContain(said);
});

test("the files of a listing at the top of its site", async () => {
  shop.reset();
  shop.intercept((req) => {
    const { url = "" } = req;
    if (!/^\/shop\/(?:customers|orders)\b/.test(url)) req.url = url.replace("/shop", "/shop/orders");
    return false;
  });
  await expect(verified()).rejects.toThrow("is one listing, and release");
});
