/** `rollcall diff` on the command line: sides, forms, filters, exit codes and gates, and the gates of a build. */
import { execFileSync, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { readFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { build } from "../../src/index.js";
import { CLI, start } from "../support/command.js";
import { plainRows, runSql, userId, writeUsers } from "../support/database.js";
import { scratch } from "../support/files.js";
import { until } from "../support/until.js";
import { fakeIo, rollcall } from "./run.js";

const baseUrl = "https://directory.example.com";

/** A folder with a source of 20 users and a release of it; `edit` changes the source, `again` builds once more. */
async function oneRelease() {
  const cwd = scratch();
  const db = writeUsers(join(cwd, "users.sqlite"), plainRows(20));
  writeFileSync(join(cwd, "rollcall.config.json"), JSON.stringify({ db: "users.sqlite", baseUrl, pageSize: 5 }));
  const again = (minute: number) => {
    const now = () => new Date(Date.UTC(2026, 10, 21, 3, minute));
    return build({ db, baseUrl, dist: join(cwd, "dist"), pageSize: 5 }, { now });
  };
  const edit = (sql: string) => runSql(db, sql);
  const run = (line: string | readonly string[]) => rollcall(line, fakeIo(cwd));
  return { cwd, first: await again(40), again, edit, run };
}

const EDIT = `UPDATE users SET bio = 'New.', kyc_status = 'PENDING' WHERE id = '${userId(3)}';
  UPDATE users SET bio = 'Newer.' WHERE id = '${userId(4)}';
  DELETE FROM users WHERE id = '${userId(7)}';
  INSERT INTO users (id, date_joined) VALUES ('${userId(99)}', '2026-02-01T00:00:00.000000Z')`;

async function twoReleases() {
  const { again, edit, ...rest } = await oneRelease();
  edit(EDIT);
  return { ...rest, again, edit, second: await again(41) };
}

test("without arguments: the previous release against the current one", async () => {
  const { run, first, second } = await twoReleases();
  const { code, stdout, stderr } = await run("diff");
  expect({ code, stderr }).toEqual({ code: 1, stderr: "" });
  expect(stdout).toContain(`old  release ${first.name}`);
  expect(stdout).toContain(`new  release ${second.name}`);
  expect(stdout).toMatch(/added +1\nremoved +1\nchanged +2\nunchanged +17\n/);
  expect(stdout).toMatch(/bio +2\n +kyc_status +1\n/);
  expect(stdout).toContain(`+ ${userId(99)}`);
  expect(await run(`diff ${first.id.slice(0, 6)} current`)).toEqual({ code, stdout, stderr });
});

test("a source without a base URL uses that of the other side", async () => {
  const { run, edit, cwd, first } = await oneRelease();
  rmSync(join(cwd, "rollcall.config.json"));
  edit(`${EDIT}; UPDATE users SET image_url = NULL`);
  for (const line of [
    "diff users.sqlite",
    "diff current users.sqlite",
    `diff users.sqlite ${first.id}`,
    "diff dist/current/ users.sqlite",
  ]) {
    const { code, stdout, stderr } = await run(`${line} --only bio`);
    expect({ code, stderr }, line).toEqual({ code: 1, stderr: "" });
    expect(stdout, line).toContain("changed     2\n");
    expect(stdout, line).not.toContain("base URL");
  }
  const { stdout } = await run("diff users.sqlite --format ndjson");
  expect(stdout).toContain(`"image_url","old":"https://media.example.com/ada.jpg","new":"${baseUrl}/avatar.svg"`);
});

test("says what to set if there is no base URL", async () => {
  const { cwd, run } = await oneRelease();
  rmSync(join(cwd, "rollcall.config.json"));
  const told = {
    code: 2,
    stdout: "",
    stderr:
      "error: Comparing users.sqlite needs a base URL, which neither side has; set baseUrl in rollcall.config.json, or ROLLCALL_BASE_URL.\n",
  };
  expect(await run("diff users.sqlite users.sqlite")).toEqual(told);
  // A page without its release's snapshot.json has no links.
  mkdirSync(join(cwd, "bare/api/users/pages"), { recursive: true });
  writeFileSync(join(cwd, "bare/api/users/pages/1.json"), '{"count":0,"next":null,"previous":null,"results":[]}\n');
  expect(await run("diff bare users.sqlite")).toEqual(told);
  const env = { ROLLCALL_BASE_URL: baseUrl };
  expect(await rollcall("diff bare users.sqlite", fakeIo(cwd, { env }))).toMatchObject({
    code: 1,
    stderr: "",
  });
});

test("every report names the fields that it is limited to", async () => {
  const { run } = await twoReleases();
  const report = async (format: string, flags: string) => (await run(`diff --format ${format} ${flags}`)).stdout;
  const both = "--only kyc_status,off_chain.* --ignore off_chain.tokens";
  expect(await report("text", both)).toContain(
    "\n\ncompared  only kyc_status, off_chain.*, without off_chain.tokens\n\n",
  );
  expect(await report("text", "--ignore bio")).toContain("\ncompared  all fields but bio\n");
  const document = JSON.parse(await report("json", both));
  expect(document).toMatchObject({ only: ["kyc_status", "off_chain.*"], ignored: ["off_chain.tokens"] });
});

test("writes a report to a file atomically", async () => {
  const { run, cwd } = await twoReleases();
  for (const format of ["text", "markdown", "json", "ndjson", "html"]) {
    const { stdout } = await run(`diff --format ${format}`);
    expect(await run(`diff --format ${format} --output report`)).toEqual({
      code: 1,
      stdout: "",
      stderr: "wrote     report\n",
    });
    expect(readFileSync(join(cwd, "report"), "utf8")).toBe(stdout);
  }
  const { code, stderr } = await run("diff --output no/such/folder/report");
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr:
      "error: Cannot write no/such/folder/report: a part of its path does not exist; create it, or name another file with --output, then run this again.\n",
  });
  expect(existsSync(join(cwd, "report.rollcall-new"))).toBe(false);
});

test.each([
  ["--max-removed 0", "max-removed 0: 1 of 20 users removed (5 %)"],
  ["--max-changed 1", "max-changed 1: 2 of 20 users changed (10 %)"],
  ["--max-field bio=1,kyc_status=1", "max-field bio 1: 2 of 20 users changed in bio (10 %)"],
])("gate exceeded: %s", async (flags, finding) => {
  const { run } = await twoReleases();
  const { code, stdout, stderr } = await run(`diff ${flags}`);
  expect({ code, stderr }).toEqual({ code: 3, stderr: `gate exceeded: ${finding}\n` });
  expect(stdout).toContain(finding);
});

test("gates that are not exceeded change nothing", async () => {
  const { run } = await twoReleases();
  const flags = "--max-removed 5% --max-added 1 --max-changed 10% --max-field bio=2";
  expect(await run(`diff ${flags}`)).toEqual(await run("diff"));
  expect((await run("diff --max-removed five")).code).toBe(2);
  expect((await run("diff --max-field bios=2")).code).toBe(2);
  expect((await run("diff --only kyc_status,bio --max-field bio=2")).code).toBe(1);
  for (const flags of ["--only kyc_status", "--ignore bio"]) {
    expect(await run(`diff ${flags} --max-field kyc_status=5,bio=2`), flags).toEqual({
      code: 2,
      stdout: "",
      stderr:
        "error: The gate on bio cannot see changes, because only or ignore leaves that field out; include the field, or remove the gate.\n",
    });
  }
});

test.each<[line: string, message: RegExp, expected?: number]>([
  [
    "diff ./empty",
    /"\.\/empty" is not a release in dist, a release's folder, a file or a folder of records, a base URL or git:REV:PATH/,
  ],
  ["diff -", /Standard input cannot be compared\. Write it to a file, then pass that: rollcall diff records\.csv/],
  ["diff git:HEAD", /git:HEAD is not of the form git:REV:PATH/],
  ["diff git:HEAD:dist", /git cannot read the repository: fatal: not a git repository/],
  ["diff http://user:secret@127.0.0.1:9/", /has credentials/],
  ["diff http://127.0.0.1:9/", /127\.0\.0\.1:9/, 1],
])("exits with 2, or 1 for an unreachable host, and prints one line: %s", async (line, message, expected = 2) => {
  const { run } = await oneRelease();
  const { code, stdout, stderr } = await run(line);
  expect({ code, stdout }).toEqual({ code: expected, stdout: "" });
  expect(stderr).toMatch(message);
  expect(stderr.trimEnd().split("\n")).toHaveLength(1);
  expect(stderr).not.toContain("secret");
});

test("reports a tampered record list, and a page that does not match it", async () => {
  const { run, second, first } = await twoReleases();
  const page = join(second.folder, "api/users/pages/1.json");
  writeFileSync(page, readFileSync(page, "utf8").replaceAll(userId(3), userId(33)));
  expect(await run("diff")).toMatchObject({ code: 2, stderr: expect.stringContaining("does not hold user") });
  writeFileSync(page, readFileSync(page, "utf8").replaceAll(userId(33), userId(3)).replace("New.", "Now."));
  expect(await run("diff")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("does not match its digest"),
  });
  writeFileSync(join(first.folder, "records.sha256"), "");
  expect(await run("diff")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("does not match its digest"),
  });
});

test("reports a full temporary directory, and cleans up", async () => {
  const { cwd, edit } = await oneRelease();
  edit(`UPDATE users SET bio = printf('%.*c', 200000, 'x')`);
  const script = `mkdir tiny && mount -t tmpfs -o size=1m tmpfs tiny && export TMPDIR="$PWD/tiny"
    "$NODE" "$CLI" diff users.sqlite 2>&1; echo "exit $?" && ls -A tiny`;
  const output = execFileSync("unshare", ["--map-root-user", "--mount", "sh", "-c", script], {
    cwd,
    encoding: "utf8",
    env: { ...process.env, NODE: process.execPath, CLI },
  });
  expect(output).toMatch(
    /^error: The folder for temporary files, .*tiny, has too little room \(\w+\); point TMPDIR at one with more\.\nexit 2\n$/,
  );
});

test.each(["full", "closed"])("cleans up if stdout is %s", async (how) => {
  const { cwd, edit } = await oneRelease();
  edit(`UPDATE users SET bio = printf('%.*c', 200000, 'x')`);
  const temporary = scratch();
  const command = `"$NODE" "$CLI" diff users.sqlite --format ndjson`;
  const { status, stderr } = spawnSync(
    "bash",
    ["-c", how === "full" ? `${command} > /dev/full` : `set -o pipefail; ${command} | head -c 1 > /dev/null`],
    { cwd, encoding: "utf8", env: { ...process.env, TMPDIR: temporary, NODE: process.execPath, CLI } },
  );
  expect({ status, stderr }).toEqual(
    how === "full" ? { status: 2, stderr: "error: Cannot write to stdout (ENOSPC).\n" } : { status: 1, stderr: "" },
  );
  expect(readdirSync(temporary)).toEqual([]);
});

test("nothing stays behind after SIGTERM", async () => {
  const { cwd } = await oneRelease();
  const temporary = scratch();
  const silent = createServer().listen(0, "127.0.0.1");
  onTestFinished(() => void silent.close());
  await once(silent, "listening");
  const { port } = silent.address() as AddressInfo;
  const { child, ended } = start(["diff", "users.sqlite", `http://127.0.0.1:${port}`], {
    cwd,
    env: { ...process.env, TMPDIR: temporary },
  });
  await once(silent, "connection");
  expect(readdirSync(temporary)).toHaveLength(1);
  child.kill("SIGTERM");
  expect(await ended).toEqual({ code: 143, stdout: "", stderr: "Stopped; current is unchanged.\n" });
  expect(readdirSync(temporary)).toEqual([]);
});

test("leaves no partial report when stopped", async () => {
  const { cwd, edit, again } = await oneRelease();
  edit(`UPDATE users SET bio = printf('%.*c', 200000, 'x')`);
  await again(41);
  const { child, ended } = start(["diff", "--format", "ndjson", "--output", "report"], { cwd });
  await until(() => existsSync(join(cwd, "report.rollcall-new")));
  child.kill("SIGINT");
  const { code } = await ended;
  expect(existsSync(join(cwd, "report.rollcall-new"))).toBe(false);
  expect(existsSync(join(cwd, "report"))).toBe(code === 1);
});

test("writes to a pipe instead of replacing it", async () => {
  const { cwd, run } = await twoReleases();
  const pipe = join(cwd, "pipe");
  execFileSync("mkfifo", [pipe]);
  const read = readFile(pipe, "utf8");
  expect((await run("diff --format json --output pipe")).code).toBe(1);
  expect(JSON.parse(await read)).toMatchObject({ changed: 2 });
  expect(statSync(pipe).isFIFO()).toBe(true);
});

test("a build that exceeds a gate keeps the release, and does not change current", async () => {
  const { cwd, run, edit, first } = await oneRelease();
  edit(EDIT);
  const { code, stdout, stderr } = await run("build --max-removed 0 --max-added 0");
  expect({ code, stdout }).toEqual({ code: 3, stdout: "" });
  const [refused = ""] = readdirSync(join(cwd, "dist/releases")).filter((name) => name !== first.name);
  const id = refused.split("-")[1];
  expect(stderr).toBe(
    `error: Release ${refused} was built, but current is unchanged, because it exceeds max-added 0: 1 of 20 users added (5 %); and max-removed 0: 1 of 20 users removed (5 %). Review it with "rollcall diff current ${id}"; accept it with "rollcall use ${id}".\n`,
  );
  expect(readlinkSync(join(cwd, "dist/current"))).toBe(`releases/${first.name}`);
  // A second time, the release is there already, and is refused again.
  expect((await run("build --max-removed 0")).code).toBe(3);
  expect(readdirSync(join(cwd, "dist/releases"))).toHaveLength(2);
  expect((await run(`diff current ${id}`)).stdout).toMatch(/removed +1\n/);
  expect((await run(`use ${id}`)).code).toBe(0);
  expect((await run("build --max-removed 0")).stderr).toContain("nothing changed");
});

test("--keep 0 keeps a refused release until the next switch", async () => {
  const { cwd, edit, first } = await oneRelease();
  const names = () => readdirSync(join(cwd, "dist/releases"));
  const [db, dist] = [join(cwd, "users.sqlite"), join(cwd, "dist")];
  const refuse = () => build({ db, baseUrl, dist, pageSize: 5, keep: 0, maxRemoved: "0" });
  for (const id of [1, 2]) {
    edit(`DELETE FROM users WHERE id = '${userId(id)}'`);
    await expect(refuse()).rejects.toThrow("was built, but current is unchanged");
    expect(names()).toHaveLength(1 + id);
  }
  expect(names()).toContain(first.name);
  // Years later, none of them was current within the last minute.
  const now = () => new Date("2100-01-01T00:00:00Z");
  edit(`DELETE FROM users WHERE id = '${userId(3)}'`);
  const { name, pruned } = await build({ db, baseUrl, dist, pageSize: 5, keep: 0 }, { now });
  expect(pruned).toHaveLength(2);
  // What was current until now may still be on its way to readers.
  expect(names().sort()).toEqual([first.name, name].sort());
});

test("a build within its gates prints the comparison; the first one has none", async () => {
  const { cwd, run, edit } = await oneRelease();
  edit(EDIT);
  expect(await run("build --max-removed 5%")).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/^gates +1 added, 1 removed, 2 changed +within the gates$/m),
  });
  rmSync(join(cwd, "dist"), { recursive: true });
  expect(await run("build --max-removed 5%")).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/^gates +no previous release$/m),
  });
  edit(`DELETE FROM users WHERE id = '${userId(1)}'`);
  const { code, stdout } = await run("build --max-removed 0 --json");
  expect(code).toBe(3);
  expect(JSON.parse(stdout)).toMatchObject({ exceeded: [expect.stringContaining("max-removed 0")] });
});

test("gates refuse if the current release is broken", async () => {
  const { run, edit, first } = await oneRelease();
  edit(EDIT);
  rmSync(join(first.folder, "SHA256SUMS"));
  const { code, stderr } = await run("build --max-removed 50%");
  expect(code).toBe(1);
  expect(stderr).toMatch(
    /^error: The gates cannot compare with the current release, which is broken; .*rollcall use [0-9a-f]{12}/,
  );
});

test("reports another base URL in one line, without changes of default images", async () => {
  const { run, edit } = await oneRelease();
  edit("UPDATE users SET image_url = NULL");
  await run("build");
  expect((await run("build --base-url https://elsewhere.example.com --force")).code).toBe(0);
  const { code, stdout } = await run("diff");
  expect(code).toBe(0);
  expect(stdout).toContain(`base URL ${baseUrl} -> https://elsewhere.example.com`);
});
