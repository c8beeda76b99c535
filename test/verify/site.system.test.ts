/** `rollcall verify URL` of a site: each listing, and the files at the top. */
import { createHash } from "node:crypto";
import { copyFileSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { sha256 } from "../../src/core/release/plain-files.js";
import { build, verify } from "../../src/index.js";
import { createListingServer, type Server } from "../../src/serve/serve.js";
import { FILE_HEADER_ROWS } from "../../src/verify/url/model.js";
import { ONE_SNAPSHOT_ROW } from "../../src/verify/url/part.js";
import { TOP_PROBE_ROWS } from "../../src/verify/url/probes.js";
import type { VerifyResult } from "../../src/verify/verify.js";
import { run } from "../support/command.js";
import { scratch } from "../support/files.js";
import { fetchReply } from "../support/front.js";
import { writeKey } from "../support/minisign.js";
import { changeShop, SHOP, writeShop } from "../support/shop.js";

const TOP_NAMES = [ONE_SNAPSHOT_ROW, ...FILE_HEADER_ROWS, ...TOP_PROBE_ROWS].map(({ name }) => name);

/** Each listing takes some hundred requests. */
const LISTINGS = { customers: SHOP.customers, orders: SHOP.orders };

let folder: string;
let dist: string;
let db: string;
let baseUrl: string;
let server: Server;
/** Other bytes that are sent for a path below the base URL; empty for 404. */
let edits: Map<string, string>;
/** Called with each path. @returns the path to answer instead, if any */
let onAsked: (path: string) => undefined | string | Promise<void>;

beforeEach(async () => {
  folder = scratch();
  dist = join(folder, "dist");
  db = writeShop(folder);
  edits = new Map();
  onAsked = () => undefined;
  const front = createServer(async (req, res) => {
    const path = req.url?.slice("/shop/".length) ?? "";
    const instead = await onAsked(path);
    if (instead) req.url = `/shop/${instead}`;
    const text = edits.get(path.replace(/\?.*/, ""));
    if (text === "") req.url = "/shop/nothing";
    if (!text || !["GET", "HEAD"].includes(req.method ?? "")) return server.handler(req, res);
    const { port } = new URL((await listening).url);
    const { headers } = await fetchReply(port, { method: "HEAD", url: req.url, headers: {} });
    const tag = `"${sha256(text)}"`;
    for (const [name, value] of headers) res.setHeader(name, value);
    res.setHeader("Content-Length", Buffer.byteLength(text)).setHeader("ETag", tag);
    const isKnown = req.headers["if-none-match"]?.includes(tag);
    if (isKnown) res.removeHeader("Content-Length");
    res.writeHead(isKnown ? 304 : 200).end(isKnown ? undefined : text);
  });
  await new Promise<void>((resolve) => front.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void front.close());
  baseUrl = `http://127.0.0.1:${(front.address() as AddressInfo).port}/shop`;
  await publish();
  server = await createListingServer({ dist });
  const listening = server.listen({ port: 0 });
  onTestFinished(() => server.close());
});

async function publish(more: { signKey?: string; explorer?: boolean } = { explorer: true }): Promise<string> {
  const { folder: release } = await build({ db, baseUrl, dist, listings: LISTINGS, compress: ["gzip"], ...more });
  return release;
}

const differing = ({ rows }: Pick<VerifyResult, "rows">) =>
  rows.filter(({ outcome }) => outcome === "differs").map(({ name }) => name);

/** The names of all rows that differ, with the listing before each. */
function allDiffering(verdict: VerifyResult): string[] {
  const ofListings = Object.entries(verdict.listings ?? {}).flatMap(([name, own]) =>
    differing(own).map((row) => `${name} ${row}`),
  );
  return [...differing(verdict), ...ofListings];
}

const foundBy = (verdict: VerifyResult) =>
  verdict.rows.flatMap(({ findings }) => findings.map(({ url = "" }) => url.slice(baseUrl.length + 1)));

/** Compared with the release, and alone. */
const verifyBoth = async (): Promise<VerifyResult[]> => [
  await verify({ what: baseUrl, dist }),
  await verify({ what: baseUrl, dist, against: "none" }),
];

describe("a correct host", () => {
  test("has no finding, compared with its release and alone", async () => {
    for (const verdict of await verifyBoth()) {
      expect(allDiffering(verdict)).toEqual([]);
      expect(verdict.passed).toBe(true);
      expect(Object.keys(verdict.listings ?? {})).toEqual(["customers", "orders"]);
      expect(verdict.rows.map(({ name }) => name)).toEqual(["site", "signature", ...TOP_NAMES]);
      expect(verdict.rows.filter(({ outcome }) => outcome !== "passed").map(({ name }) => name)).toEqual(["signature"]);
      expect(verdict.asked).toMatchObject({ pages: 4, of: 4 });
    }
  });

  test("is verified by the signatures of the site and of each listing", async () => {
    const { secret: signKey, line } = writeKey(folder, "ours");
    await publish({ signKey });
    await server.reload();
    const verdict = await verify({ what: baseUrl, dist, key: [line] });
    expect(allDiffering(verdict)).toEqual([]);
    expect(verdict.rows.find(({ name }) => name === "signature")?.request).toMatch(/^signed /);
    edits.set("SHA256SUMS.minisig", readFileSync(join(dist, "current/orders/SHA256SUMS.minisig"), "utf8"));
    expect(allDiffering(await verify({ what: baseUrl, dist, key: [line] }))).toEqual(["site", "signature"]);
  });

  test("is refused if another key signed one listing, which is named, also on disk", async () => {
    const ours = writeKey(folder, "ours");
    const release = await publish({ signKey: ours.secret });
    const { secret: signKey } = writeKey(folder, "theirs");
    const other = await build({ db, baseUrl, dist: join(folder, "other"), listings: LISTINGS, signKey });
    const path = "orders/SHA256SUMS.minisig";
    copyFileSync(join(other.folder, path), join(release, path));
    await server.reload();
    for (const what of [baseUrl, release])
      expect(allDiffering(await verify({ what, dist, key: [ours.line] })), what).toEqual(["orders signature"]);
    const { code, stdout } = await run(["verify", release, "--key", ours.line]);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^==> orders <==\n\n[\s\S]*signature: 1 finding\n {2}SHA256SUMS\.minisig: found /);
    expect(stdout).toMatch(
      /\nverify +passed +customers: .*\nverify +differs: signature +orders: .*\nverify +differs: orders +release /,
    );
  });

  test("the command prints the listings and the site", async () => {
    const { code, stdout } = await run(["verify", baseUrl, "--dist", dist]);
    expect(stdout).toMatch(/orders: .*passed[\s\S]*shop: .*by [\d,]+ requests\n$/);
    expect(code).toBe(0);
  });
});

describe("a wrong file at the top is found, compared with the release and alone", () => {
  const text = (path: string) => readFileSync(join(dist, "current", path), "utf8");
  const WRONG: [string, () => string, more?: string][] = [
    ["openapi.json", () => text("openapi.json").replace("listings", "Listings")],
    ["index.html", () => "", "explorer-headers"],
    ["snapshot.json", () => text("snapshot.json").replace('"count":250', '"count":251')],
    [
      "SHA256SUMS",
      () =>
        text("SHA256SUMS")
          .replace(/^.*openapi\.json\n/m, "")
          .replace(/^[0-9a-f]/, "x"),
    ],
  ];
  test.each(WRONG)("%s", async (path, make, ...more) => {
    edits.set(path, make());
    for (const verdict of await verifyBoth()) {
      expect(allDiffering(verdict)).toEqual(["site", ...more]);
      expect(foundBy(verdict)).toContain(path);
    }
  });

  test("the top of an older release", async () => {
    edits.set("snapshot.json", text("snapshot.json"));
    edits.set("SHA256SUMS", text("SHA256SUMS"));
    changeShop(db, "INSERT INTO customers VALUES (7, 'New')");
    await publish();
    await server.reload();
    const [compared, alone] = await verifyBoth();
    expect(compared && allDiffering(compared)).toEqual(["site"]);
    // Its other files, and the id in every response, are of the newer one.
    const ofNewer = ["snapshot-id", "explorer-page", "explorer-query"];
    expect(alone && allDiffering(alone)).toEqual(["site", ...ofNewer]);
    for (const verdict of [compared, alone]) expect(verdict && foundBy(verdict)).toContain("customers/snapshot.json");
  });

  test("an id that its listings do not give, and a listing left out, if SHA256SUMS agrees", async () => {
    const makers: [found: string, make: (listed: string) => string][] = [
      [
        "id 000000000000",
        (listed) => listed.replace(/"id":"[0-9a-f]{12}","listings"/, '"id":"000000000000","listings"'),
      ],
      ["id ", (listed) => listed.replace(/"customers":\{.*?\},/, "")],
    ];
    for (const [found, make] of makers) {
      const listed = make(text("snapshot.json"));
      const digest = createHash("sha256").update(listed).digest("hex");
      edits.set("snapshot.json", listed);
      edits.set("SHA256SUMS", text("SHA256SUMS").replace(/^.*(?= {2}snapshot\.json$)/m, digest));
      const { rows } = await verify({ what: baseUrl, dist, against: "none" });
      expect(rows[0]?.findings).toEqual([
        expect.objectContaining({
          url: `${baseUrl}/snapshot.json`,
          found: expect.stringContaining(found),
          expected: expect.stringMatching(/^[0-9a-f]{12}, which its content gives$/),
        }),
      ]);
    }
  });

  test("no snapshot.json", async () => {
    edits.set("snapshot.json", "");
    const verdict = await verify({ what: baseUrl, dist });
    expect(allDiffering(verdict)).toEqual(["site"]);
  });
});

test("a listing that differs, or is missing, is named", async () => {
  edits.set("customers/openapi.json", "{}");
  expect(allDiffering(await verify({ what: baseUrl, dist }))).toContain("customers files");
  edits.clear();
  edits.set("customers/snapshot.json", "");
  for (const verdict of await verifyBoth()) {
    expect(allDiffering(verdict)).toEqual(["site"]);
    expect(foundBy(verdict)).toContain("customers/snapshot.json");
    expect(Object.keys(verdict.listings ?? {})).toEqual(["orders"]);
  }
});

test("a listing that answers with the files of another one is found, compared with the release and alone", async () => {
  onAsked = (path) => {
    const [, inside] = /^orders(\/.*)/.exec(path) ?? [];
    return inside === undefined ? undefined : `customers${inside}`;
  };
  const both = await verifyBoth();
  for (const verdict of both) {
    const found = allDiffering(verdict);
    expect(found).toContain("site");
    expect(found.filter((row) => row.startsWith("customers"))).toEqual([]);
    expect(foundBy(verdict)).toContain("orders/snapshot.json");
  }
  const ofOrders = ["orders snapshot-id", "orders same-bytes", "orders files"];
  expect(both.flatMap(allDiffering)).toEqual(expect.arrayContaining(ofOrders));
});

test("a site that switches meanwhile is read again", async () => {
  let hasSwitched = false;
  onAsked = async (path) => {
    if (hasSwitched || path !== "orders/snapshot.json") return;
    hasSwitched = true;
    changeShop(db, "INSERT INTO customers VALUES (7, 'New')");
    await publish();
    await server.reload();
  };
  const verdict = await verify({ what: baseUrl, dist, against: "none" });
  expect(hasSwitched).toBe(true);
  expect(allDiffering(verdict)).toEqual([]);
});

test("the URL of a listing is compared with that listing of the release", async () => {
  const verdict = await verify({ what: `${baseUrl}/orders`, dist });
  expect(differing(verdict)).toEqual([]);
  expect(verdict.listings).toBeUndefined();
});

test("the URL of a listing whose name ends with that of another one is compared with its own", async () => {
  const listings = { ...LISTINGS, "v1/orders": { contract: SHOP.customers.contract, table: "customers" } };
  await build({ db, baseUrl, dist, listings, compress: ["gzip"] });
  await server.reload();
  for (const name of ["orders", "v1/orders"])
    expect(differing(await verify({ what: `${baseUrl}/${name}`, dist })), name).toEqual([]);
});

test("a site without listings is not verified", async () => {
  const text = readFileSync(join(dist, "current/snapshot.json"), "utf8").replace(/"listings":.*/, '"listings":{}}');
  edits.set("snapshot.json", text);
  await expect(verify({ what: baseUrl, dist, against: "none" })).rejects.toThrow(
    "instead of the snapshot.json of a release",
  );
});

test("a release that cannot be compared is refused with the next step", async () => {
  const other = join(folder, "other");
  await build({ db, dist: other, baseUrl, table: "customers", contract: SHOP.customers.contract });
  await expect(verify({ what: baseUrl, dist: other })).rejects.toThrow(
    /is a site of customers, orders, and release \w+ is one listing\. Verify the base URL of a listing that the release has, or compare with the host's own release: --against none\.$/,
  );
  edits.set("snapshot.json", readFileSync(join(other, "current/snapshot.json"), "utf8"));
  await expect(verify({ what: baseUrl, dist })).rejects.toThrow(/is one listing, and release \w+ is a site of /);
  await expect(verify({ what: `${baseUrl}/none`, dist })).rejects.toThrow(
    /snapshot\.json of a site\. Is .*\/none the base URL\?/,
  );
});
