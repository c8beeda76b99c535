/** `rollcall host` and `build --adapt` on the command line, and limits of hosts. */
import { chmodSync, existsSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { USERS_CONTRACT } from "../../src/contract/contract.js";
import { publishedFor } from "../../src/hosts/host.js";
import { HOSTS, hostOf } from "../../src/hosts/hosts.js";
import { findExcess, measure } from "../../src/hosts/limits.js";
import { rulesOf } from "../../src/hosts/rules.js";
import { isForAdapters, PagePaths } from "../../src/release/layout.js";
import { openRelease } from "../../src/release/open.js";
import { build } from "../../src/snapshot/build.js";
import { fakeIo, rollcall } from "../commands/run.js";
import { publish } from "../server/release.js";
import { plainRows, writeUsers } from "../support/database.js";
import { scratch } from "../support/files.js";
import { stations, stationsAt, writeStations } from "../support/stations.js";

const BUILD = "build --db users.sqlite --base-url https://example.com";

test("measures a release file by file", async () => {
  const folder = await publish(scratch(), { encodings: ["br", "gzip"] });
  const { measures } = await measure(await openRelease(folder));
  // Three pages in three variants, contract.json, records.sha256, snapshot.json and SHA256SUMS.
  expect(measures).toMatchObject({ files: 13, filesInFolder: 9, upload: 13 });
  expect(measures.bytes).toBeGreaterThan(measures.bytesInFile);
});

test("names the largest file: a page, a part, a step or a list", async () => {
  for (const path of ["bulk/2.ndjson.gz", "changes/0f3a91c2d4e5-77b0c2d91a3f.ndjson.gz", "records.sha256"]) {
    const others = { "bulk/1.ndjson.gz": Buffer.alloc(9_000), [path]: Buffer.alloc(26_214_401) };
    const dist = scratch();
    await publish(dist, { others });
    const { code, stderr } = await rollcall(["host", "cloudflare", dist], fakeIo(dist));
    expect(code).toBe(0);
    expect(stderr).toMatch(/^note +release/m);
    expect(stderr).toContain(
      `has a file of 26.2 MB, ${path}, and Cloudflare Worker allows 26.2 MB (developers.cloudflare.com/workers/platform/limits, free plan; paid: 100,000 files); try another`,
    );
  }
});

test("suggests fewer steps or no lookup for a release that is too large", async () => {
  for (const [path, ways] of [
    ["changes/0f3a91c2d4e5-77b0c2d91a3f.ndjson.gz", "fewer steps (--changes), another host"],
    ["lookup/words/1.txt", "no lookup (no --lookup), another host"],
    ["bulk/1.ndjson.gz", "another host"],
  ] as const) {
    const dist = scratch();
    truncateSync(join(await publish(dist, { others: { [path]: "" } }), path), 263_000_000);
    const { code, stdout } = await rollcall(["host", "azure-static-web-apps", dist, "--json"], fakeIo(dist));
    expect(code).toBe(0);
    const [note] = JSON.parse(stdout).notes.filter((text: string) => text.includes("allows"));
    expect(note).toMatch(/ has 263 MB in all, and Azure Static Web Apps allows 262\.1 MB \(.*\); try /);
    expect(note).toContain(`; try ${ways}`);
  }
});

test("counts sorted files and the explorer", async () => {
  const words = Array.from({ length: 600 }, (_, at) => [`lookup/words/${at + 1}.txt`, "a\tA\n"]);
  const page = ["index.html", "explorer/app.js", "explorer/facets/1.txt"].map((path) => [path, "1\n"]);
  const dist = scratch();
  const { measures } = await measure(
    await openRelease(await publish(dist, { others: Object.fromEntries([...words, ...page]) })),
  );
  // Three pages, contract.json, records.sha256, snapshot.json and SHA256SUMS.
  expect(measures).toMatchObject({ files: 7 + 603, filesInFolder: 600, upload: 7 + 603 });
  const cloudflare = hostOf("cloudflare");
  expect(findExcess(measures, cloudflare)).toEqual([]);
  const pages = { ...measures, files: 19_392 + 608, upload: 19_392 + 608 };
  expect(findExcess(pages, cloudflare)).toEqual([]);
  expect(findExcess({ ...pages, files: pages.files + 1 }, cloudflare)).toMatchObject([
    { limit: "files", allowed: 20_000 },
  ]);
});

test("every limit allows its number and refuses one more", () => {
  for (const adapter of HOSTS) {
    for (const [name, most] of Object.entries(adapter.limits ?? {})) {
      if (typeof most !== "number") continue;
      const none = { files: 0, filesInFolder: 0, bytesInFile: 0, bytes: 0, upload: 0 };
      expect(findExcess({ ...none, [name]: most }, adapter)).toEqual([]);
      expect(findExcess({ ...none, [name]: most + 1 }, adapter)).toEqual([
        { limit: name, actual: most + 1, allowed: most },
      ]);
    }
  }
});

test.each(HOSTS)("$name: its files are written, and those with comments say how to check them", async (adapter) => {
  const { name } = adapter;
  const cwd = scratch();
  writeUsers(join(cwd, "users.sqlite"), plainRows(3));
  await rollcall(`${BUILD}${adapter.included || adapter.published ? ` --adapt ${name}` : ""}`, fakeIo(cwd));
  const { code, stdout, stderr } = await rollcall(`adapt ${name} --write conf`, fakeIo(cwd));
  expect([code, stdout]).toEqual([0, ""]);
  const files = [...stderr.matchAll(/^wrote +(\S+)/gm)].map(([, path = ""]) => join("conf", path));
  const included = [...(await openRelease(join(cwd, "dist/current"))).sums.others.keys()].filter(isForAdapters);
  for (const path of [...files, ...included.map((file) => join("dist/current", file))]) {
    const text = readFileSync(join(cwd, path), "utf8");
    if (/\.(conf|caddy|cfg|vcl|lua|js|toml|htaccess|yml)$/.test(path)) expect(text).toContain("rollcall verify");
  }
});

test("a release that the host's user cannot read is said, with what mends it, unless the host is another machine", async () => {
  const cwd = scratch();
  chmodSync(cwd, 0o755);
  writeUsers(join(cwd, "users.sqlite"), plainRows(3));
  await rollcall(`${BUILD} --adapt apache`, fakeIo(cwd));
  const adapted = async (flags = "") => (await rollcall(`adapt apache ${flags}`, fakeIo(cwd))).stderr;
  expect(await adapted()).not.toContain("chmod");
  chmodSync(cwd, 0o700);
  expect(await adapted()).toMatch(
    new RegExp(`^note +other users cannot read ${cwd}, .* answers 500; to fix it: chmod o\\+x ${cwd}$`, "m"),
  );
  await rollcall(`${BUILD} --adapt apache --root /srv/elsewhere`, fakeIo(cwd));
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
  expect(stderr).toContain("build --adapt htaccess puts .htaccess and 405.json into the release");
  // What is printed may name the id; what is part of the id cannot.
  expect(readFileSync(join(folder, ".htaccess"), "utf8")).not.toContain('Snapshot-Id "');
  expect(stdout).toContain('Snapshot-Id "');
});

test("a site's file that is there serves a release of another path, too", async () => {
  const cwd = scratch();
  const rows = stations(3).map(({ row }) => row);
  writeStations(join(cwd, "stations.sqlite"), rows);
  const adapted: unknown[] = [];
  for (const path of ["/v1/stations/", "/v2/stations/"]) {
    writeFileSync(join(cwd, "stations.json"), stationsAt(path).text);
    const line =
      "build --db stations.sqlite --contract stations.json --base-url https://example.com --adapt nginx --force";
    expect((await rollcall(line, fakeIo(cwd))).code).toBe(0);
    expect(readFileSync(join(cwd, "dist/current/adapters/nginx.conf"), "utf8")).toContain(`"~^${path}$"`);
    const { files } = JSON.parse((await rollcall("host nginx --write conf --json", fakeIo(cwd))).stdout);
    adapted.push(files);
  }
  const files = ["rollcall.conf", "rollcall-maps.conf"].map((path) => ({ path, instructions: expect.any(String) }));
  expect(adapted).toEqual([true, false].map((written) => files.map((file) => ({ ...file, written }))));
});

test("build with adapt notes the limits that a release exceeds, and none of a host without limits", async () => {
  const cwd = scratch();
  const rows = plainRows(3).map((row) => ({ ...row, bio: "x".repeat(9_000_000) }));
  const db = writeUsers(join(cwd, "users.sqlite"), rows);
  const options = { db, dist: join(cwd, "dist"), baseUrl: "https://example.com" };
  const { id, notes } = await build({ ...options, adapt: ["cloudflare", "vercel", "nginx"] });
  expect(notes).toEqual([
    `release ${id} has a file of 27 MB, api/users/pages/1.json, and Cloudflare Worker allows 26.2 MB (developers.cloudflare.com/workers/platform/limits, free plan; paid: 100,000 files); try smaller pages (--page-size, now 100), another host ("rollcall host" lists them)`,
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
  const worker = readFileSync(join(folder, "_worker.js"), "utf8");
  const paths = new PagePaths(USERS_CONTRACT.listing.path);
  const base = { base: "", paths, encodings: [], cacheControl: "public, max-age=60" };
  const described = ["bulk.json", "changes.json", "contract.json", "openapi.json", "snapshot.json"];
  const others = ["avatar.svg", "records.csv.gz", ...described, "SHA256SUMS", "SHA256SUMS.minisig"];
  const rules = rulesOf({ ...base, others });
  expect(worker).toBe(publishedFor(hostOf("cloudflare"), rules)[0]?.text);
  const refused = await rollcall(`${BUILD} --adapt fastly`, fakeIo(cwd));
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain("fastly needs no files in the release");
});
