/** What `build --adapt` puts into a release for hosts that include it: beside the pages, in SHA256SUMS, not in the id. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { adapt, type BuildOptions, build, openRelease, verify } from "../../src/index.js";
import { isForAdapters, isStep } from "../../src/release/layout.js";
import { CLI } from "../support/command.js";
import { plainRows, writeUsers } from "../support/database.js";
import { checkSums, scratch } from "../support/files.js";

let folder: string;
let options: BuildOptions & { adapt: string[] };

beforeEach(() => {
  folder = scratch();
  const db = writeUsers(join(folder, "users.sqlite"), plainRows(3));
  options = { db, dist: join(folder, "dist"), baseUrl: "https://directory.example.com", adapt: ["nginx"] };
});

const included = async (release: string) =>
  [...(await openRelease(release)).sums.others].filter(([path]) => isForAdapters(path));

test("they are listed and whole, name their own release, and leave the id as it is", async () => {
  const plain = await build({ ...options, adapt: [] });
  const adapted = await build(options);
  expect(adapted.id).toBe(plain.id);
  expect(adapted.folder).not.toBe(plain.folder);
  expect((await included(adapted.folder)).map(([path]) => path)).toEqual([
    "adapters/nginx-server.conf",
    "adapters/nginx.conf",
  ]);
  checkSums(adapted.folder);
  expect(await verify({ what: adapted.folder })).toMatchObject({ passed: true });
  for (const name of ["nginx.conf", "nginx-server.conf"])
    expect(readFileSync(join(adapted.folder, "adapters", name), "utf8")).toContain(adapted.id);
  expect(readFileSync(join(adapted.folder, "adapters/nginx-server.conf"), "utf8")).toContain(
    `alias "${adapted.folder}/"`,
  );
});

test("a build with the same settings leaves the release; one with other settings, or for more hosts, makes another", async () => {
  const first = await build(options);
  expect(await build(options)).toMatchObject({ isNew: false, name: first.name });
  expect(await build({ ...options, workers: 0 })).toMatchObject({ isNew: false, name: first.name });
  const other = await build({ ...options, cacheControl: "public, max-age=5" });
  expect(other).toMatchObject({ id: first.id, isNew: true });
  // The first one has what these settings ask for, so it is current again instead of a twin of it.
  expect(await build(options)).toMatchObject({ name: first.name, isNew: false, isSwitched: true });
  expect(await build({ ...options, root: "/srv/elsewhere" })).toMatchObject({ id: first.id, isNew: true });
});

test("every host is told of the steps of its release, and an equal build leaves that release", async () => {
  const adapt = ["nginx", "apache", "caddy"];
  const settings = { ...options, adapt, changes: 3 };
  await build(settings);
  const db = writeUsers(join(folder, "more.sqlite"), plainRows(4));
  const second = await build({ ...settings, db });
  const { others } = (await openRelease(second.folder)).sums;
  const files = [...others.keys()].filter((path) => isStep(path) || path === "changes.json");
  expect(files).toHaveLength(2);
  const texts = (await included(second.folder)).map(([path]) => readFileSync(join(second.folder, path), "utf8"));
  for (const path of files) expect(texts.filter((text) => text.includes(others.get(path) ?? ""))).toHaveLength(3);
  expect(await build({ ...settings, db })).toMatchObject({ isNew: false, name: second.name });
});

test("the site's file is written once, and only for a release that holds what it includes", async () => {
  const dist = options.dist;
  const write = join(folder, "conf.d");
  await build({ ...options, adapt: [] });
  await expect(adapt("nginx", { dist, write })).rejects.toThrow(
    /has no adapters\/nginx.conf; run "rollcall build --adapt nginx"/,
  );
  expect(existsSync(write)).toBe(false);
  await build(options);
  const [file] = (await adapt("nginx", { dist, write })).files;
  expect(file).toMatchObject({ path: "rollcall.conf", isWritten: true });
  expect(file?.text).toContain(`include "${dist}/current/adapters/nginx.conf";`);
  writeFileSync(join(write, "rollcall.conf"), "# mine\n");
  expect((await adapt("nginx", { dist, write })).files[0]).toMatchObject({ isWritten: false });
  expect(readFileSync(join(write, "rollcall.conf"), "utf8")).toBe("# mine\n");
  await expect(adapt("nginx", { dist, write, cacheControl: "no-cache" })).rejects.toThrow(
    /has adapters\/nginx.conf with other settings/,
  );
});

test("of several files, none is written where one cannot be", async () => {
  await build({ ...options, adapt: [] });
  const write = join(folder, "project");
  mkdirSync(join(write, "netlify.toml"), { recursive: true });
  await expect(adapt("netlify", { dist: options.dist, write })).rejects.toThrow(
    /netlify.toml is a folder, where a file belongs/,
  );
  expect(existsSync(join(write, "netlify/edge-functions/rollcall.js"))).toBe(false);
});

test("on a full disk nothing is written, and what was there stays", async () => {
  await build({ ...options, adapt: [] });
  const script = `mkdir full && mount -t tmpfs -o size=16k tmpfs full && cd full && mkdir netlify && echo old > netlify.toml
    dd if=/dev/zero of=filler bs=1k count=12 2>&1 | tail -n 0; node "${CLI}" adapt netlify ../dist --write . 2>&1 || true
    cat netlify.toml; find . -type f | sort`;
  const output = execFileSync("unshare", ["--map-root-user", "--mount", "sh", "-c", script], {
    cwd: folder,
    encoding: "utf8",
  });
  expect(output.replace(join(folder, "full"), ".")).toBe(
    "error: Cannot write .: the disk is full; free some space, then run this again. Nothing was written.\nold\n./filler\n./netlify.toml\n",
  );
});
