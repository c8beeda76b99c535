/** `rollcall publish` on the command line: what it prints, and its exit codes. */
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test, vi } from "vitest";
import { buildUsers } from "../publish/releases.js";
import { BUCKET, STORE_ENV, startStore } from "../publish/store.js";
import { CLI, run } from "../support/command.js";
import { scratch } from "../support/files.js";
import { fakeIo, rollcall } from "./run.js";

async function cwdWithRelease(users = 25) {
  const cwd = scratch();
  const { id } = await buildUsers(cwd, users);
  return { cwd, id };
}

/** Sizes change with the wording of descriptions. */
function withoutSizes(text: string): string {
  return text.replace(/[\d.]+ kB/, "SIZE");
}

test("a folder: prints the files, and the releases before and after", async () => {
  const { cwd, id } = await cwdWithRelease();
  const { code, stdout, stderr: first } = await rollcall("publish site", fakeIo(cwd));
  expect([code, stdout]).toEqual([0, ""]);
  expect(withoutSizes(first)).toBe(`\
publish   ${id}    site
files     9 new, 0 changed, 0 gone, 0 the same
wrote     SIZE
done      in 0.00 s
`);
  const next = await buildUsers(cwd, 15);
  const { stderr } = await rollcall("publish site --purge-list purge.txt", fakeIo(cwd));
  expect(withoutSizes(stderr)).toBe(`\
publish   ${next.id} (was ${id})    site
files     0 new, 5 changed, 1 gone, 3 the same
wrote     SIZE
purge     10 URLs, in purge.txt
done      in 0.00 s
`);
  expect((await rollcall("publish site", fakeIo(cwd))).stderr).toContain(`publish   ${next.id}    site\n`);
});

test("as JSON, and quietly", async () => {
  const { cwd, id } = await cwdWithRelease(5);
  const { code, stdout, stderr } = await rollcall("publish site --json --dry-run", fakeIo(cwd));
  expect([code, stderr]).toEqual([0, ""]);
  expect(JSON.parse(stdout)).toEqual({
    ...{ target: join(cwd, "site").replace(`${cwd}/`, ""), id, before: null, resumed: false },
    added: 7,
    changed: 0,
    removed: 0,
    same: 0,
    bytes: 0,
    urls: 0,
    warnings: [],
    dryRun: true,
    seconds: 0,
  });
  expect(await rollcall("publish site --quiet", fakeIo(cwd))).toEqual({ code: 0, stdout: "", stderr: "" });
});

test.each([
  ["publish", "missing required argument 'target', as in", 2],
  ["publish ftp://x", 'Target "ftp://x" is neither a folder nor s3://BUCKET/PREFIX.', 2],
  ["publish s3://bucket --endpoint http://me:secret@host", "--endpoint: Must be an http(s) URL without", 2],
])("refuses rollcall %s in one line", async (line, message, code) => {
  const { cwd } = await cwdWithRelease(5);
  const result = await rollcall(line, fakeIo(cwd));
  expect(result).toMatchObject({ code, stdout: "" });
  expect(result.stderr).toContain(`error: ${message}`);
  expect(result.stderr).not.toContain("secret");
  expect(result.stderr.trimEnd().split("\n")).toHaveLength(1);
});

test("a bucket: prints requests; neither they nor the files contain a secret", async () => {
  const { cwd, id } = await cwdWithRelease(5);
  const store = await startStore();
  const secret = "wJalrXUtnFEMI";
  for (const [name, value] of Object.entries({ ...STORE_ENV, AWS_SECRET_ACCESS_KEY: secret })) vi.stubEnv(name, value);
  const { stdout, stderr } = await rollcall(`publish s3://${BUCKET}/dir --endpoint ${store.endpoint}`, fakeIo(cwd));
  vi.unstubAllEnvs();
  expect(stdout).toBe("");
  expect(stderr).toMatch(
    new RegExp(
      `^publish   ${id}    s3://bucket/dir\nfiles     7 new, .*\nsent      \\d+(?:\\.\\d)? kB in \\d\\d requests\n`,
    ),
  );
  const texts = await Promise.all((await store.keys()).map(async (key) => (await store.read(key))?.text));
  expect(`${stderr}${texts.join("")}`).not.toContain(secret);
});

test("says how to install a missing SDK", async () => {
  const { cwd } = await cwdWithRelease(5);
  const root = dirname(dirname(dirname(CLI)));
  const clone = scratch();
  for (const name of ["lib", "data"]) cpSync(join(root, name), join(clone, name), { recursive: true });
  const { type, version, dependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  writeFileSync(join(clone, "package.json"), JSON.stringify({ type, version }));
  for (const name of Object.keys(dependencies)) {
    mkdirSync(dirname(join(clone, "node_modules", name)), { recursive: true });
    symlinkSync(join(root, "node_modules", name), join(clone, "node_modules", name));
  }
  const cli = join(clone, "lib/cli/cli.js");
  expect(await run(["publish", "s3://bucket"], { cwd }, cli)).toEqual({
    code: 1,
    stdout: "",
    stderr:
      'error: Publishing to s3:// needs the package @aws-sdk/client-s3, which is not installed; run "npm install @aws-sdk/client-s3" where Rollcall is.\n',
  });
  expect(await run(["publish", "site", "--quiet"], { cwd }, cli)).toMatchObject({ code: 0 });
});
