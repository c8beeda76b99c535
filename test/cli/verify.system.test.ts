/** `rollcall verify` on the command line and in CI. */
import { execFileSync } from "node:child_process";
import { chmodSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { build } from "../../src/index.js";
import { CHECK_NAMES } from "../../src/verify/url/listing.js";
import { plainRows, writeUsers } from "../support/database.js";
import { scratch } from "../support/files.js";
import { front } from "../support/front.js";
import { fakeIo, rollcall } from "./run.js";

/** A folder whose dist has one release of some users, two a page. */
async function released(users = 5) {
  const cwd = scratch();
  chmodSync(cwd, 0o755);
  const db = writeUsers(join(cwd, "users.sqlite"), plainRows(users));
  const dist = join(cwd, "dist");
  const { id, name, folder } = await build({
    db,
    baseUrl: "https://directory.example.com",
    dist,
    pageSize: 2,
  });
  return { cwd, id, name, folder, run: (line: string) => rollcall(line, fakeIo(cwd)) };
}

const damage = (folder: string) => writeFileSync(join(folder, "avatar.svg"), "<svg/>");

test("an intact release passes every check, exit code 0", async () => {
  const { name, run } = await released();
  const { code, stdout, stderr } = await run("verify");
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toContain(`
passed   sums          SHA256SUMS     SHA256SUMS has one line for every other file
passed   files         10 files       all listed files exist, are regular, and there are no others
`);
  expect(stdout).toContain("skipped  compressed    none           (it has no compressed pages)\n");
  expect(stdout).toMatch(new RegExp(`\n\nverify +passed +release ${name}: 15 passed, 11 skipped, in 0\\.00 s\n$`));
});

test("reports why other users cannot read a release, exit code 0", async () => {
  const { cwd, name, folder, run } = await released();
  chmodSync(cwd, 0o700);
  for (const [path, mode] of [
    ["avatar.svg", 0o600],
    ["api/users/pages", 0o750],
  ] as const)
    chmodSync(join(folder, path), mode);
  const { code, stdout } = await run("verify");
  expect(code).toBe(0);
  expect(stdout).toContain(
    `\n\nreadable: other users cannot read ${cwd}, so a web server that runs as another user answers 500; ` +
      `to fix it: chmod o+x ${cwd} && chmod -R o+rX dist/releases/${name}\n`,
  );
  expect(stdout).toMatch(/\nverify +passed +release .*: 14 passed, 1 noted, 11 skipped, in /);
  const [, mend = ""] = /to fix it: (.*)/.exec(stdout) ?? [];
  execFileSync("bash", ["-c", mend], { cwd });
  expect((await run("verify")).stdout).toMatch(/: 15 passed, 11 skipped, in /);
});

test("reports damage, exit code 1, as text and as JSON", async () => {
  const { folder, run } = await released();
  damage(folder);
  const { code, stdout } = await run("verify current");
  expect(code).toBe(1);
  expect(stdout).toContain(
    "\ndiffers  digests       10 files       every file has the SHA-256 that SHA256SUMS lists\n",
  );
  expect(stdout).toMatch(/\n\ndigests: 1 finding\n {2}avatar\.svg: found [0-9a-f]{64}; expected [0-9a-f]{64}\n/);
  expect(stdout).toMatch(/\nverify +differs: digests +release .*: 14 passed, 1 differs, 11 skipped, in /);
  const { passed, subject, rows, seconds } = JSON.parse((await run("verify --json")).stdout);
  expect({ passed, subject, seconds }).toEqual({
    passed: false,
    subject: expect.stringMatching(/^release /),
    seconds: 0,
  });
  expect(rows).toHaveLength(26);
  expect(rows[2]).toMatchObject({
    name: "digests",
    outcome: "differs",
    count: 1,
    findings: [{ check: "digests", path: "avatar.svg" }],
  });
});

test.each<[line: string, message: RegExp, expected?: number]>([
  [
    "verify zz",
    /^error: "zz" is neither the beginning of a release's id in dist nor a release's folder; ids there are [0-9a-f]{12}\.\n$/,
  ],
  [
    "verify http://127.0.0.1:9",
    /^error: http:\/\/127\.0\.0\.1:9\/snapshot\.json cannot be reached: the connection was refused/,
    1,
  ],
  ["verify http://127.0.0.1:9/api/users/?page=2", /^error: Base URL .* has a query/],
  ["verify http://127.0.0.1:9 --against zz", /^error: "zz" is neither the beginning of a release's id in dist/],
  ["verify http://127.0.0.1:9 --allow rnge", /^error: There is no check "rnge" to allow; did you mean range\?\n$/],
  ["verify http://127.0.0.1:9 --adapt ngnix", /^error: There is no host "ngnix"; did you mean nginx\?\n$/],
  ["verify --sample 0", /^error: --sample must be a whole number from 1 to /],
  [".. verify", /unknown command/],
])("rollcall %s fails with 2, or 1 for an unreachable host", async (line, message, expected = 2) => {
  const { run } = await released();
  const { code, stdout, stderr } = await run(line);
  expect({ code, stdout }).toEqual({ code: expected, stdout: "" });
  expect(stderr).toMatch(message);
});

test("content of a release cannot break out of the report", async () => {
  const { folder, run } = await released();
  writeFileSync(join(folder, '<b>&\u001b[31m"\u202e'), "");
  const { stdout } = await run("verify");
  expect(stdout).toContain('<b>&\\u001b[31m"\\u202e: found a file');
});

test("a host: has a row for each probe, known limitations, and the expected release", async () => {
  const one = await front({ count: 5 });
  const cwd = dirname(one.dist);
  const run = (line: string) => rollcall(`verify ${one.baseUrl} --dist ${one.dist} ${line}`, fakeIo(cwd));
  const whole = await run("");
  expect(whole.code).toBe(0);
  expect(whole.stdout.replace(/ +/g, " ")).toContain(
    'passed page-leading-zero GET ?format=api&page=01 404 {"detail":"In… 01 is not a page: 404\n',
  );
  expect(whole.stdout).toContain("every page has the bytes of the release");
  one.edit(({ url }, reply) => (url?.endsWith("page=01") ? { ...reply, status: 200 } : undefined));
  const weak = await run("");
  expect(weak.code).toBe(1);
  expect(weak.stdout).toContain(`
page-leading-zero: GET /api/users/?format=api&page=01
  received  200 (application/json) with a body that is not a page: its count must be an integer
  rule      01 is not a page: 404
`);
  expect(weak.stdout.replace(/ +/g, " ")).toContain("\npassed other-parameters GET ");
  const known = await run("--allow page-leading-zero --allow range,post");
  expect(known.code).toBe(0);
  expect(known.stdout).toMatch(/\nallowed +page-leading-zero /);
  expect(known.stdout).toMatch(
    /\nverify +passed +http:\S+: \d+ passed, 1 allowed, 17 skipped, in [\d.]+ s, by \d+ requests\n$/,
  );
  const alone = await run("--against none --allow page-leading-zero --json --sample 2");
  const { rows, asked } = JSON.parse(alone.stdout);
  expect(asked).toMatchObject({ pages: 2, of: 3, codings: ["identity"], links: ["query", "path"], files: 3 });
  expect(asked.requests).toBeGreaterThan(50);
  expect(rows.map(({ name }: { name: string }) => name)).toEqual(CHECK_NAMES);
});

test("names the hosts that cannot do better, if what differs is all theirs", async () => {
  const one = await front({ count: 5 });
  const run = async () =>
    (await rollcall(`verify ${one.baseUrl} --dist ${one.dist}`, fakeIo(dirname(one.dist)))).stdout;
  one.edit(({ headers }, reply) => (headers["if-match"] !== undefined ? { ...reply, status: 400 } : undefined));
  expect(await run()).toMatch(
    /^note +nginx, .* cannot do better; if this host is one of them, pass --adapt with its name$/m,
  );
  one.edit(({ headers }, reply) => (headers["if-none-match"] ? { ...reply, status: 304 } : undefined));
  expect(await run()).not.toContain("--adapt");
});

test("--adapt allows only a host's limitations, with the reason", async () => {
  const one = await front({ count: 5, encodings: ["br", "gzip"] });
  const run = () =>
    rollcall(`verify ${one.baseUrl} --dist ${one.dist} --adapt nginx,caddy --json`, fakeIo(dirname(one.dist)));
  const rowOf = (stdout: string, name: string) =>
    JSON.parse(stdout).rows.find((row: { name: string }) => row.name === name);
  // As nginx answers.
  one.edit(({ headers }, reply) => (headers["if-match"] !== undefined ? { ...reply, status: 400 } : undefined));
  const allowed = await run();
  expect(allowed.code).toBe(0);
  expect(rowOf(allowed.stdout, "if-match")).toMatchObject({
    outcome: "allowed",
    note: expect.stringContaining("no directive changes"),
  });
  one.edit(({ headers }, reply) => (headers["if-none-match"] ? { ...reply, status: 304 } : undefined));
  const refused = await run();
  expect(refused.code).toBe(1);
  expect(rowOf(refused.stdout, "modified")).toMatchObject({ outcome: "differs" });
});
