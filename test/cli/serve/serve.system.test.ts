/** `rollcall serve` in process: a real server on a free port, with simulated signals. */
import { rmSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { idOf } from "../../../src/core/release/name.js";
import { build } from "../../../src/index.js";
import { writeRelease } from "../../serve/release.js";
import { plainRows, usersFile } from "../../support/database.js";
import { scratch } from "../../support/files.js";
import { freePort } from "../../support/ports.js";
import { eventually } from "../../support/until.js";
import { fakeIo, rollcall } from "../run.js";

/** A folder with a release, and `make`, which makes another of `count` users. */
async function folderWithRelease(baseUrl = "https://example.com") {
  const cwd = scratch();
  const make = async (count: number, base = baseUrl) => {
    const db = usersFile(plainRows(count));
    return build({ db, baseUrl: base, dist: join(cwd, "dist"), force: true });
  };
  return { cwd, make, release: await make(2) };
}

/** Serves until the test stops it; resolves when the address has been printed on `stream`. */
async function serve(line: string, cwd: string, stream: "stdout" | "stderr" = "stderr") {
  const io = fakeIo(cwd);
  const ended = rollcall(`serve --port 0 ${line}`, io);
  onTestFinished(async () => {
    io.signals.emit("SIGTERM");
    await ended;
  });
  const printed = eventually(() => expect(io[stream].text).toContain("http://"));
  await Promise.race([printed, ended]);
  const url = /http:\/\/[^\s"']+/.exec(io[stream].text)?.[0] ?? "";
  const stop = () => {
    io.signals.emit("SIGTERM");
    return ended;
  };
  return { io, url, stop };
}

test("serve prints the address, the release and a curl that works; SIGTERM ends it with exit 0", async () => {
  const { cwd, release } = await folderWithRelease("https://example.com/directory");
  const { io, url, stop } = await serve("", cwd);
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/directory$/);
  expect(io.stderr.text).toBe(`\
serve     ${url}    ${release.id}: 2 users on 1 page
try       curl '${url}/api/users/?format=api&page=1'
2026-11-21T03:40:00.000Z Links lead to https://example.com/directory, as behind a proxy. For links that lead here: "rollcall build --base-url ${url} --dist ${cwd}/dist --force".
`);
  const [, tried = ""] = /curl '([^']+)'/.exec(io.stderr.text) ?? [];
  expect(await (await fetch(tried)).json()).toMatchObject({ count: 2, next: null });
  expect(await stop()).toMatchObject({ code: 0, stdout: "" });
  expect(io.stderr.text).toMatch(
    /\n2026-11-21T03:40:00\.000Z Finishing open requests; a second signal ends the process at once\.\n$/,
  );
  await expect(fetch(tried)).rejects.toThrow();
});

test("--json prints the same as data, on one line of stdout", async () => {
  const { cwd, release } = await folderWithRelease();
  const { io, url } = await serve("--json", cwd, "stdout");
  expect(io.stderr.text, "where links lead is talk").toMatch(/^\S+Z Links lead to https:\/\/example\.com, .*\n$/);
  expect(io.stdout.text.split("\n")).toHaveLength(2);
  expect(JSON.parse(io.stdout.text)).toEqual({
    url,
    listing: `${url}/api/users/?format=api&page=1`,
    explorer: null,
    admin: null,
    id: release.id,
    name: release.name,
    records: 2,
    pages: 1,
  });
});

test("--access-log prints a line of JSON a request on stdout", async () => {
  const { cwd, release } = await folderWithRelease();
  const { io, url } = await serve("--access-log", cwd);
  await (await fetch(`${url}/api/users/?page=9%0a%1b[2J`)).text();
  const line =
    /^\{"time":"\d{4}-\S+Z",.*"method":"GET","url":"\/api\/users\/\?page=9%0a%1b\[2J","status":404,"bytes":26,.*\}\n$/;
  await eventually(() => expect(io.stdout.text).toMatch(line));
  expect(io.stdout.text).toContain(release.id);
});

test("SIGHUP switches to the current release", async () => {
  const { cwd, make } = await folderWithRelease();
  const { io, url } = await serve("--cache-control no-store", cwd);
  const { id } = await make(3);
  io.signals.emit("SIGHUP");
  await eventually(async () => {
    const answer = await fetch(`${url}/api/users/`);
    expect(answer.headers.get("snapshot-id")).toBe(id);
    expect(answer.headers.get("cache-control")).toBe("no-store");
  });
});

describe("links", () => {
  /** What serving a release with the base URL `base` prints after the announcement. `PORT` is the port that it listens on. */
  async function said(base: (port: number) => string, line = "", dist = "dist"): Promise<string> {
    const port = await freePort();
    const cwd = scratch();
    const db = usersFile(plainRows(2));
    await build({ db, baseUrl: base(port), dist: join(cwd, dist) });
    const io = fakeIo(cwd);
    const ended = rollcall(`serve --json --port ${port} ${line} ${join(cwd, dist)}`, io);
    await eventually(() => expect(io.stdout.text).toContain("http://"));
    io.signals.emit("SIGTERM");
    const { stderr } = await ended;
    return stderr.replace(/^\S+Z Finishing .*\n/m, "").replaceAll(`${port}`, "PORT");
  }

  test.each<[string, (port: number) => string, string, string?]>([
    ["another port of this machine", () => "http://127.0.0.1:1234/a", "where this server does not listen"],
    ["here, which others cannot reach", (port) => `http://127.0.0.1:${port}`, "cannot follow", "--host 0.0.0.0"],
    ["a proxy elsewhere", () => "https://directory.example.com/a", "as behind a proxy"],
  ])("to %s are reported in one line, with the command that corrects them", async (_what, base, why, line) => {
    const told = await said(base, line);
    expect(told).toMatch(/^\S+Z Links lead to [^\n]*"rollcall build --base-url \S+ --dist \S+( --force)?"[^\n]*\n$/);
    expect(told).toContain(why);
    expect(told.includes(" --force"), "only a loopback base URL is replaced without it").toBe(
      why === "as behind a proxy",
    );
    // Links keep their path.
    expect(
      told.includes(line ? "http://ADDRESS:PORT " : `http://127.0.0.1:PORT${base(0).endsWith("/a") ? "/a" : ""} `),
    ).toBe(true);
  });

  test.each<[string, (port: number) => string, string?]>([
    ["here", (port) => `http://127.0.0.1:${port}/a`],
    ["a proxy, from where others reach this one", () => "https://directory.example.com", "--host 0.0.0.0"],
  ])("to %s need no note", async (_what, base, line) => {
    expect(await said(base, line)).toBe("");
  });

  test("are reported once for each base URL, also after a switch", async () => {
    const { cwd, make } = await folderWithRelease();
    const { io } = await serve("", cwd);
    const notes = () => io.stderr.text.split("\n").filter((line) => line.includes("Links lead to"));
    for (const [users, base, expected] of [
      [3, "http://127.0.0.1:1", 2],
      [4, "http://127.0.0.1:1", 2],
      [5, "http://127.0.0.1:2", 3],
    ] as const) {
      const { id } = await make(users, base);
      await eventually(() => expect(io.stderr.text).toContain(`now serving ${id}`));
      expect(notes()).toHaveLength(expected);
    }
  });
});

test("serve says how to choose a release if none is current", async () => {
  const cwd = scratch();
  const older = await writeRelease(join(cwd, "dist"));
  const newest = await writeRelease(join(cwd, "dist"), { count: 6 });
  // As a copy that was interrupted leaves it.
  rmSync(join(newest, "SHA256SUMS"));
  const { code, stdout, stderr } = await rollcall("serve --port 0", fakeIo(cwd));
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr, "the newest that is whole").toBe(
    `error: No release in dist is current; to make the newest one current, run "rollcall use ${idOf(basename(older))} dist".\n`,
  );
});
