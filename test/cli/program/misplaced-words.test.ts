/** Misplaced words: the message suggests the right command. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { plainRows, writeUsers } from "../../support/database.js";
import { scratch } from "../../support/files.js";
import { fakeIo, rollcall } from "../run.js";

const IS_SOURCE =
  'u.sqlite is a file of records. To see it: "rollcall dev u.sqlite". To publish it: "rollcall init --from u.sqlite", then "rollcall build".';
const listing = (url: string, base: string) =>
  `Base URL "${url}" is the URL of the listing itself, and every link adds /api/users/; give ${base}.`;

test.each([
  ["build u.sqlite", IS_SOURCE],
  ["u.sqlite", IS_SOURCE],
  ["build folder", "too many arguments for 'build'. Expected 0 arguments but got 1; see \"rollcall build --help\"."],
  ["verify u.sqlite", IS_SOURCE],
  ["host nginx u.sqlite", IS_SOURCE],
  ["serve https://x", '--dist must be a path on this machine, got "https://x".'],
  [
    "build --db u.sqlite --base-url https://x/api/users/pages/2.json",
    listing("https://x/api/users/pages/2.json", "https://x"),
  ],
  ["host ngnix", 'There is no host "ngnix"; did you mean nginx?'],
])("rollcall %s", async (line, message) => {
  const cwd = scratch();
  writeUsers(join(cwd, "u.sqlite"), plainRows(1));
  mkdirSync(join(cwd, "folder"));
  expect(await rollcall(line, fakeIo(cwd))).toEqual({ code: 2, stdout: "", stderr: `error: ${message}\n` });
});
