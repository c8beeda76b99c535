/** Damages files while they are served: the server never sends wrong bytes, and keeps running. */
import { execFileSync } from "node:child_process";
import { appendFile, mkdir, readFile, rename, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openRelease } from "../../src/core/release/open.js";
import { sha256 } from "../../src/core/release/plain-files.js";
import { contentDigest, encodeSnapshot, snapshotId } from "../../src/core/release/snapshot.js";
import { encodeSums } from "../../src/core/release/sums.js";
import { createServer } from "../../src/index.js";
import { createListingServer } from "../../src/serve/serve.js";
import { scratch } from "../support/files.js";
import { USER_PAGES } from "../support/pages.js";
import { releaseOf } from "../support/served.js";
import { publish, writeRelease } from "./release.js";
import { ask, freshDist, serving } from "./running.js";

const page = USER_PAGES.path(2);
const OTHERS = { "avatar.svg": "<svg>an avatar of some length</svg>", "images/logo.svg": "<svg>another image</svg>" };
const FILES = [page, "snapshot.json", "SHA256SUMS", "images/logo.svg"];

const DAMAGES: [string, (file: string) => Promise<unknown> | unknown, RegExp][] = [
  ["gone", (file) => rm(file), /cannot be read \(ENOENT\)/],
  ["one byte changed", (file) => changeOneByte(file), /does not match its digest/],
  ["shortened", (file) => truncate(file, 10), /does not match its digest/],
  ["empty", (file) => truncate(file, 0), /does not match its digest/],
  ["longer", (file) => appendFile(file, "more"), /does not match its digest/],
  ["a link to another file", (file) => replace(file, () => symlink("/etc/passwd", file)), /cannot be read \(ELOOP\)/],
  ["a link to its own bytes", (file) => moveBehindLink(file), /cannot be read \(ELOOP\)/],
  ["a folder", (file) => replace(file, () => mkdir(file)), /cannot be read \(EISDIR\)/],
  ["a pipe", (file) => replace(file, () => execFileSync("mkfifo", [file])), /cannot be read \(ENXIO\)/],
];

describe("a page", () => {
  test("once read, it is served from memory", async () => {
    const { server, port, lines } = await serving();
    const first = await ask(port, "/api/users/?page=2");
    await rm(join(releaseOf(server).folder, page));
    expect((await ask(port, "/api/users/?page=2")).body.equals(first.body)).toBe(true);
    expect(lines).toEqual([]);
  });

  test.each([0, 0.001])("with %d MB of cache, reads the file for each response", async (cacheMb) => {
    const { server, port } = await serving({}, { cacheMb });
    expect((await ask(port, "/api/users/?page=2")).status).toBe(200);
    await rm(join(releaseOf(server).folder, page));
    expect((await ask(port, "/api/users/?page=2")).status).toBe(500);
  });
});

describe("a file", () => {
  test.each(DAMAGES.flatMap(([name, ...rest]) => FILES.map((path) => [path, name, ...rest] as const)))(
    "%s %s: 500, one log line, and served again after repair",
    async (path, _name, damage, why) => {
      const { server, port, lines } = await serving({ others: OTHERS }, { cacheMb: 0 });
      const file = join(releaseOf(server).folder, path);
      const bytes = await readFile(file);
      expect((await ask(port, `/${path}`)).status).toBe(200);
      await damage(file);
      for (const { status, headers, body } of await Promise.all([1, 2, 3].map(() => ask(port, `/${path}`)))) {
        expect([status, body.toString()]).toEqual([500, '{"detail":"Internal server error."}']);
        expect(headers).toMatchObject({ "cache-control": "no-store", "snapshot-id": releaseOf(server).snapshot.id });
        expect(headers).not.toHaveProperty("etag");
      }
      expect(lines).toEqual([expect.stringMatching(why)]);
      expect(lines[0]).toContain(path);
      for (const other of FILES.filter((other) => other !== path))
        expect((await ask(port, `/${other}`)).status).toBe(200);
      // Another file with the same bytes is served.
      await rm(file, { recursive: true, force: true });
      await writeFile(file, bytes);
      expect((await ask(port, `/${path}`)).body.equals(bytes)).toBe(true);
    },
  );

  test("is not served from a folder that is a link", async () => {
    const { server, port } = await serving({ others: OTHERS });
    const folder = join(releaseOf(server).folder, "images");
    await moveBehindLink(folder);
    expect((await ask(port, "/images/logo.svg")).status).toBe(500);
    expect((await ask(port, "/avatar.svg")).status).toBe(200);
  });

  test("does not serve unlisted files, or records.sha256", async () => {
    const { server, port } = await serving({ others: { "records.sha256": "x" } });
    await writeFile(join(releaseOf(server).folder, "new.svg"), "<svg/>");
    for (const path of ["new.svg", "records.sha256", "images/", "images"])
      expect((await ask(port, `/${path}`)).status).toBe(404);
  });

  test("serves an image with its type, and the caching of pages", async () => {
    const { port } = await serving({ others: OTHERS });
    const { headers, body } = await ask(port, "/avatar.svg");
    expect(headers).toMatchObject({ "content-type": "image/svg+xml", "cache-control": "public, max-age=60" });
    expect(body.toString()).toBe(OTHERS["avatar.svg"]);
  });
});

describe("refused before any request", () => {
  test.each<[string, (folder: string, release: string) => Promise<unknown>, RegExp]>([
    ["no folder", (folder) => rm(folder, { recursive: true }), /There is no release at .*run "rollcall build" first/],
    ["no current", (folder) => rm(join(folder, "current")), /run "rollcall build" first/],
    ["current leads nowhere", (_folder, release) => rm(release, { recursive: true }), /run "rollcall build" first/],
    ["no snapshot.json", (_folder, release) => rm(join(release, "snapshot.json")), /broken.*snapshot\.json/],
    ["a page is missing", (_folder, release) => rm(join(release, page)), /broken.*2\.json: found no such file/],
    ["snapshot.json changed", (_folder, release) => changeOneByte(join(release, "snapshot.json")), /broken/],
  ])("%s", async (_name, damage, message) => {
    const folder = scratch();
    const release = await publish(folder);
    await damage(folder, release);
    await expect(createListingServer({ dist: folder })).rejects.toMatchObject({
      name: "UserError",
      message: expect.stringMatching(message),
    });
  });

  test("does not serve configuration of other hosts, such as .htaccess", async () => {
    const folder = scratch();
    const hidden = [".htaccess", "_worker.js", "vercel.json", "netlify.toml", "netlify/edge-functions/rollcall.js"];
    const others = Object.fromEntries([...hidden, "x.svg"].map((path) => [path, "x"]));
    const release = await writeRelease(folder, { others });
    const server = await createListingServer({ dist: release });
    const { url } = await server.listen({ port: 0, host: "127.0.0.1" });
    expect((await fetch(`${url}/x.svg`)).status).toBe(200);
    for (const path of hidden) expect((await fetch(`${url}/${path}`)).status, path).toBe(404);
    await server.close();
  });

  test.each([
    ["../../../etc/passwd", /not 64 hexadecimal digits, two spaces and a path/],
    ["/etc/passwd", /not 64 hexadecimal digits, two spaces and a path/],
    ["sp%20ace", /SHA256SUMS lists/],
    ["SHA256SUMS", /SHA256SUMS lists|broken/],
    ["gone.svg", /gone\.svg cannot be read \(ENOENT\)/],
  ])("SHA256SUMS lists %s", async (path, message) => {
    const folder = scratch();
    const release = await writeRelease(folder, { others: { "x.svg": "x" } });
    const { snapshot, sums } = await openRelease(release);
    const others = new Map([...sums.others, [path, sha256("x")] as const]);
    others.delete("snapshot.json");
    const { id: _id, ...facts } = snapshot;
    const text = encodeSnapshot({
      id: snapshotId(contentDigest(facts, { ...sums, others })),
      ...facts,
    });
    await writeFile(join(release, "snapshot.json"), text);
    others.set("snapshot.json", sha256(text));
    await writeFile(join(release, "SHA256SUMS"), [...encodeSums({ ...sums, others })].join(""));
    await expect(createListingServer({ dist: release })).rejects.toMatchObject({
      name: "UserError",
      message: expect.stringMatching(message),
    });
  });

  test.each([
    { cacheControl: "" },
    { cacheControl: "a\r\nX: b" },
    { cacheControl: "max-age=60 " },
    { cacheControl: "für immer" },
    { cacheMb: -1 },
    { cacheMb: Number.NaN },
  ])("%j", async (options) => {
    const folder = await freshDist();
    const [name = ""] = Object.keys(options);
    await expect(createServer({ dist: folder, ...options })).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringContaining(name),
    });
  });

  test.each(["relative", "ftp://example.com", "https://example.com/", "https://user@example.com"])(
    "base URL %s",
    async (baseUrl) => {
      const folder = await freshDist({ baseUrl });
      await expect(createListingServer({ dist: folder })).rejects.toMatchObject({
        message: expect.stringContaining("its base URL is"),
      });
    },
  );
});

async function changeOneByte(file: string): Promise<void> {
  const bytes = await readFile(file);
  bytes[20] = (bytes[20] ?? 0) ^ 1;
  await writeFile(file, bytes);
}

async function replace(file: string, make: () => unknown): Promise<void> {
  await rm(file);
  await make();
}

async function moveBehindLink(file: string): Promise<void> {
  await rename(file, `${file}.moved`);
  await symlink(`${file}.moved`, file);
}
