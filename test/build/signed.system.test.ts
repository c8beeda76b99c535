/** Builds that sign: when a signed build is a new release, and mistakes about keys. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { build } from "../../src/index.js";
import { run } from "../support/command.js";
import { writeKey } from "../support/minisign.js";
import { args, BASE_URL, environment, source } from "./signing.js";

test("each signed build is a new release, whose pages are links where they are the same", async () => {
  const cwd = source();
  const { secret: signKey } = writeKey(cwd, "ours");
  const [db, dist] = [join(cwd, "users.sqlite"), join(cwd, "dist")];
  const options = { db, dist, baseUrl: BASE_URL, pageSize: 3 };
  const now = () => new Date("2026-11-22T09:30:00Z");
  const [one, two] = [await build({ ...options, signKey }, { now }), await build({ ...options, signKey }, { now })];
  expect([one, two]).toMatchObject([{ new: true }, { new: true, linked: 3, id: one.id }]);
  expect(two.folder).not.toBe(one.folder);
  const inode = (folder: string) => statSync(join(folder, "api/users/pages/1.json")).ino;
  expect(inode(two.folder)).toBe(inode(one.folder));
  expect(readdirSync(two.folder)).toContain("SHA256SUMS.minisig");
  // Its openapi.json says that there is no signature.
  const plain = await build(options);
  expect(plain).toMatchObject({ new: true, id: one.id });
  expect(readdirSync(plain.folder)).not.toContain("SHA256SUMS.minisig");
  expect(await build(options)).toMatchObject({ new: false });
});

test("the key itself in place of its file is not repeated", async () => {
  const cwd = source();
  const text = readFileSync(writeKey(cwd, "ours").secret, "utf8");
  const [, base64 = ""] = text.split("\n");
  for (const given of [base64, text]) {
    const byFlag = await run(args("--sign-key", given), { cwd, env: environment() });
    const byVariable = await run(args(), { cwd, env: environment({ ROLLCALL_SIGN_KEY: given }) });
    for (const { code, stderr, stdout } of [byFlag, byVariable]) {
      expect(code).toBe(2);
      expect(stderr).toContain("Must be the path of a secret key file, not the key itself.");
      expect(stderr + stdout).not.toContain(base64.slice(60, 80));
    }
  }
});
