/** What `build --adapt` puts into a release, and `rollcall host` beside it. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { adapt, type BuildOptions, build, verify } from "../../src/index.js";
import { CLI } from "../support/command.js";
import { plainRows, writeUsers } from "../support/database.js";
import { checkSums, scratch } from "../support/files.js";
import { SHOP, writeShop } from "../support/shop.js";

let folder: string;
let options: BuildOptions & { dist: string; adapt: string[] };

beforeEach(() => {
  folder = scratch();
  const db = writeUsers(join(folder, "users.sqlite"), plainRows(3));
  options = { db, dist: join(folder, "dist"), baseUrl: "https://directory.example.com", adapt: ["htaccess"] };
});

test("the files that a host publishes are listed, and leave the id as it is; other settings make another release", async () => {
  const plain = await build({ ...options, adapt: [] });
  const adapted = await build(options);
  expect(adapted.id).toBe(plain.id);
  checkSums(adapted.folder);
  expect(await verify({ what: adapted.folder })).toMatchObject({ passed: true });
  expect(readFileSync(join(adapted.folder, "SHA256SUMS"), "utf8")).toContain("  .htaccess\n");
  expect(await build(options)).toMatchObject({ new: false, name: adapted.name });
  expect(await build({ ...options, cacheControl: "public, max-age=5" })).toMatchObject({ id: plain.id, new: true });
});

test("a host that needs no file in the release leaves it as it is", async () => {
  const plain = await build({ ...options, adapt: [] });
  expect(await build({ ...options, adapt: ["nginx"] })).toMatchObject({ new: false, name: plain.name });
});

test("in a site, the files that a host publishes are at the top, and written again if one is damaged", async () => {
  const db = writeShop(folder);
  const site = { ...options, db, listings: SHOP, adapt: ["htaccess", "cloudflare"] };
  const built = await build(site);
  const own = [".assetsignore", ".htaccess", "405.json", "_worker.js"];
  const at = (name: string) => readdirSync(join(built.folder, name)).filter((path) => own.includes(path));
  expect([at(".").sort(), at("orders")]).toEqual([own, []]);
  checkSums(built.folder);
  expect(await verify({ what: built.folder })).toMatchObject({ passed: true });
  expect(await build(site)).toMatchObject({ new: false, name: built.name });
  const { dist } = options;
  const [file] = (await adapt({ name: "htaccess", dist })).files;
  expect(file?.text).toBe(readFileSync(join(built.folder, ".htaccess"), "utf8"));
  writeFileSync(join(built.folder, ".htaccess"), "# damaged");
  expect(await build(site)).toMatchObject({ id: built.id, new: true });
});

test("the site's file is written once, and names dist/current alone", async () => {
  const { dist } = options;
  const write = join(folder, "conf.d");
  const { folder: release } = await build({ ...options, adapt: [] });
  const [file] = (await adapt({ name: "nginx", dist, write })).files;
  expect(file).toMatchObject({ path: "rollcall.conf", written: true });
  expect(file?.text).toContain(`alias "${dist}/current/";`);
  expect(file?.text).not.toContain(basename(release));
  writeFileSync(join(write, "rollcall.conf"), "# mine\n");
  expect((await adapt({ name: "nginx", dist, write })).files[0]).toMatchObject({ written: false });
  expect(readFileSync(join(write, "rollcall.conf"), "utf8")).toBe("# mine\n");
});

test("of several files, none is written where one cannot be", async () => {
  await build({ ...options, adapt: [] });
  const write = join(folder, "project");
  const { dist } = options;
  mkdirSync(join(write, "published/405.json"), { recursive: true });
  await expect(adapt({ name: "htaccess", dist, write })).rejects.toThrow(/405.json is a folder, where a file belongs/);
  expect(existsSync(join(write, "published/.htaccess"))).toBe(false);
  expect(existsSync(join(dist, ".hosts.json"))).toBe(false);
});

test("on a full disk nothing is written, and what was there stays", async () => {
  await build({ ...options, adapt: [] });
  const script = `mkdir full && mount -t tmpfs -o size=16k tmpfs full && cd full && mkdir published && echo old > published/405.json
    dd if=/dev/zero of=filler bs=1k count=12 2>&1 | tail -n 0; node "${CLI}" host htaccess ../dist --write . 2>&1 || true
    cat published/405.json; find . -type f | sort`;
  const output = execFileSync("unshare", ["--map-root-user", "--mount", "sh", "-c", script], {
    cwd: folder,
    encoding: "utf8",
  });
  expect(output.replace(join(folder, "full"), ".")).toBe(
    "error: Cannot write .: the disk is full; free some space, then run this again. Nothing was written.\nold\n./filler\n./published/405.json\n",
  );
});
