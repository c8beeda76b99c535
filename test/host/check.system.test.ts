/** `rollcall host` and `build --adapt` on the command line, and limits of hosts. */
import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openRelease } from "../../src/core/release/open.js";
import { openSiteRelease } from "../../src/core/release/site.js";
import { HOSTS } from "../../src/host/hosts.js";
import { findExcess, measure } from "../../src/host/size-limits.js";
import { adapt, build } from "../../src/index.js";
import { fakeIo, rollcall } from "../cli/run.js";
import { publish } from "../serve/release.js";
import { plainRows, writeUsers } from "../support/database.js";
import { readTree, scratch } from "../support/files.js";
import { SHOP, writeShop } from "../support/shop.js";
import { stations, stationsAt, writeStations } from "../support/stations.js";

const BUILD = "build --db users.sqlite --base-url https://example.com";

test("measures a release file by file", async () => {
  const folder = await publish(scratch(), { encodings: ["br", "gzip"] });
  const { measures } = await measure(await openSiteRelease(folder));
  // Three pages in three variants, contract.json, records.sha256, snapshot.json and SHA256SUMS.
  expect(measures).toMatchObject({ files: 13, filesInFolder: 9 });
  expect(measures.bytes).toBeGreaterThan(measures.bytesInFile);
});

test("measures all files of a site once", async () => {
  const cwd = scratch();
  const { folder } = await build({
    db: writeShop(cwd),
    dist: join(cwd, "dist"),
    baseUrl: "https://example.com",
    listings: SHOP,
    adapt: ["cloudflare"],
  });
  const files = [...readTree(folder)].filter(([path]) => path !== ".release");
  const { measures } = await measure(await openSiteRelease(folder));
  expect(measures.files).toBe(files.length);
  // Those of orders: five that each listing has, bulk.json and changes.json.
  expect(measures.filesInFolder).toBe(7);
});

test("names the largest file: a page, a part, a step or a list", async () => {
  for (const path of ["bulk/2.ndjson.gz", "changes/0f3a91c2d4e5-77b0c2d91a3f.ndjson.gz", "records.sha256"]) {
    const others = { "bulk/1.ndjson.gz": Buffer.alloc(9_000), [path]: Buffer.alloc(26_214_401) };
    const dist = scratch();
    await publish(dist, { others });
    const { code, stderr } = await rollcall(["host", "cloudflare", dist], fakeIo(dist));
    expect(code).toBe(0);
    expect(stderr).toMatch(/^note +release/m);
    expect(stderr).toContain(`has a file of 26.2 MB, ${path}, and Cloudflare Worker allows 26.2 MB (`);
  }
});

test("counts sorted files and the explorer", async () => {
  const words = Array.from({ length: 600 }, (_, at) => [`lookup/words/${at + 1}.txt`, "a\tA\n"]);
  const page = ["index.html", "explorer/app.js", "explorer/facets/1.txt"].map((path) => [path, "1\n"]);
  const dist = scratch();
  const { measures } = await measure(
    await openSiteRelease(await publish(dist, { others: Object.fromEntries([...words, ...page]) })),
  );
  // Three pages, contract.json, records.sha256, snapshot.json and SHA256SUMS.
  expect(measures).toMatchObject({ files: 7 + 603, filesInFolder: 600 });
});

test("every limit allows its number and refuses one more", () => {
  for (const adapter of HOSTS) {
    for (const [name, most] of Object.entries(adapter.sizeLimits ?? {})) {
      if (typeof most !== "number") continue;
      const none = { files: 0, filesInFolder: 0, bytesInFile: 0, bytes: 0 };
      expect(findExcess({ ...none, [name]: most }, adapter)).toEqual([]);
      expect(findExcess({ ...none, [name]: most + 1 }, adapter)).toEqual([
        { limit: name, actual: most + 1, allowed: most },
      ]);
    }
  }
});

test.each(HOSTS)("$name: its files are written, and those with comments say how to check them", async ({ name }) => {
  const cwd = scratch();
  writeUsers(join(cwd, "users.sqlite"), plainRows(3));
  const built = await rollcall(`${BUILD} --adapt ${name}`, fakeIo(cwd));
  expect(built.stderr).toMatch(/ is current; next: rollcall publish FOLDER\n$/);
  const { code, stdout, stderr } = await rollcall(`host ${name} --write conf`, fakeIo(cwd));
  expect([code, stdout]).toEqual([0, ""]);
  for (const [, path = ""] of stderr.matchAll(/^wrote +(\S+)/gm))
    if (/\.(conf|caddy|js|toml|htaccess)$/.test(path))
      expect(readFileSync(join(cwd, path), "utf8")).toMatch(new RegExp(`rollcall verify \\S+ --adapt ${name}$`, "m"));
});

test("a release that the host's user cannot read is said, with what mends it, unless the host is another machine", async () => {
  const cwd = scratch();
  chmodSync(cwd, 0o755);
  writeUsers(join(cwd, "users.sqlite"), plainRows(3));
  await rollcall(BUILD, fakeIo(cwd));
  const adapted = async (flags = "") => (await rollcall(`host apache ${flags}`, fakeIo(cwd))).stderr;
  expect(await adapted()).not.toContain("chmod");
  chmodSync(cwd, 0o700);
  expect(await adapted()).toMatch(
    new RegExp(`^note +other users cannot read ${cwd}, .* answers 500; to fix it: chmod o\\+x ${cwd}$`, "m"),
  );
  expect(await adapted("--root /srv/elsewhere")).not.toContain("chmod");
});

test("a .htaccess is in the release or printed, with the body that it names", async () => {
  const cwd = scratch();
  writeUsers(join(cwd, "users.sqlite"), plainRows(3));
  expect((await rollcall(`${BUILD} --adapt htaccess`, fakeIo(cwd))).code).toBe(0);
  const { sums, folder } = await openRelease(join(cwd, "dist/current"));
  expect([...sums.others.keys()]).toEqual(expect.arrayContaining([".htaccess", "405.json"]));
  const { code, stdout, stderr } = await rollcall("host htaccess", fakeIo(cwd));
  expect([code, stdout.match(/^==> .*/gm)]).toEqual([0, ["==> published/.htaccess <==", "==> published/405.json <=="]]);
  expect(stderr).toContain("build --adapt htaccess");
  expect(stdout).toContain(readFileSync(join(folder, ".htaccess"), "utf8"));
});

test("a build says that a host's file was written for other settings; one with the same settings does not", async () => {
  const cwd = scratch();
  writeStations(
    join(cwd, "stations.sqlite"),
    stations(3).map(({ row }) => row),
  );
  const buildAt = async (path: string, flags = "") => {
    writeFileSync(join(cwd, "stations.json"), stationsAt(path).text);
    const line = `build --db stations.sqlite --contract stations.json --base-url https://example.com/a --force ${flags}`;
    const { code, stderr } = await rollcall(line, fakeIo(cwd));
    expect(code).toBe(0);
    return stderr;
  };
  const written = async () => {
    const { files } = JSON.parse((await rollcall("host nginx --write conf --json", fakeIo(cwd))).stdout);
    return files;
  };
  const OTHER = "the files of rollcall host nginx are for";
  expect(await buildAt("/v1/stations/")).not.toContain(OTHER);
  expect(await written()).toEqual([
    { path: "rollcall.conf", text: expect.any(String), instructions: expect.any(String), written: true },
  ]);
  expect(await buildAt("/v1/stations/", "--max-added 100%")).not.toContain(OTHER);
  expect(await buildAt("/v2/stations/", "--compress gzip --cache-control no-cache")).toContain(
    `${OTHER} the path /a/v1/stations/, --compress none and --cache-control "public, max-age=60", but this release has the path /a/v2/stations/, --compress gzip and --cache-control "no-cache"; move them away and run "rollcall host nginx" again with these settings`,
  );
  // The file belongs to the administrator, and stays as it is.
  expect(await written()).toMatchObject([{ written: false }]);
  expect(await buildAt("/v2/stations/", "--base-path /b")).toContain("now has the path /b/v2".replace("now ", ""));
  rmSync(join(cwd, "conf/rollcall.conf"));
  expect(await written()).toMatchObject([{ written: true }]);
  expect(await buildAt("/v2/stations/", "--max-added 100%")).not.toContain(OTHER);
});

test("a build says that a host's file was written for other listings", async () => {
  const cwd = scratch();
  const dist = join(cwd, "dist");
  const options = { db: writeShop(cwd), dist, baseUrl: "https://example.com/a" };
  const { orders: _, ...others } = SHOP;
  expect((await build({ ...options, listings: others })).notes).toEqual([]);
  await adapt({ name: "caddy", dist, write: join(cwd, "conf") });
  expect((await build({ ...options, listings: others, maxAdded: "100%" })).notes).toEqual([]);
  expect((await build({ ...options, listings: SHOP })).notes).toEqual([
    'the files of rollcall host caddy are for the paths /a/categories/ /a/customers/ /a/products/, --compress none and --cache-control "public, max-age=60", but this release has the paths /a/categories/ /a/customers/ /a/orders/ /a/products/, --compress none and --cache-control "public, max-age=60"; move them away and run "rollcall host caddy" again with these settings',
  ]);
});

test("build with adapt notes the limits that a release exceeds, and none of a host without limits", async () => {
  const cwd = scratch();
  const rows = plainRows(3).map((row) => ({ ...row, bio: "x".repeat(9_000_000) }));
  const db = writeUsers(join(cwd, "users.sqlite"), rows);
  const options = { db, dist: join(cwd, "dist"), baseUrl: "https://example.com" };
  const { id, notes } = await build({ ...options, adapt: ["cloudflare", "vercel", "nginx"] });
  expect(notes).toEqual([
    `release ${id} has a file of 27 MB, api/users/pages/1.json, and Cloudflare Worker allows 26.2 MB (developers.cloudflare.com/workers/platform/limits, free plan; paid: 100,000 files); try another --page-size (now 100), fewer --changes, no --lookup, no --compress, or another host ("rollcall host" lists them)`,
  ]);
  expect((await build(options)).notes).toEqual([]);
});

test("an unknown name is refused with the nearest one", async () => {
  const { code, stderr } = await rollcall("host ngnix", fakeIo(scratch()));
  expect(code).toBe(2);
  expect(stderr).toContain('There is no host "ngnix"; did you mean nginx?');
});

test("build --adapt puts the host's files into the release, with their digests, and says what the host cannot use", async () => {
  const cwd = scratch();
  writeUsers(join(cwd, "users.sqlite"), plainRows(3));
  const { code, stderr } = await rollcall(`${BUILD} --adapt cloudflare --compress gzip`, fakeIo(cwd));
  expect(code).toBe(0);
  expect(stderr).toContain("compresses by itself: it does not use the gzip files");
  const { folder, sums } = await openRelease(join(cwd, "dist/current"));
  expect([...sums.others.keys()]).toEqual(expect.arrayContaining(["_worker.js", ".assetsignore"]));
  expect(existsSync(join(folder, "_worker.js"))).toBe(true);
});
