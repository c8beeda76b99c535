/** Misplaced words: the message suggests the right command. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { plainRows, writeUsers } from "../support/database.js";
import { scratch } from "../support/files.js";
import { fakeIo, rollcall } from "./run.js";

const IS_SOURCE =
  'u.sqlite is a file of records. To see it: "rollcall dev u.sqlite". To publish it: "rollcall init --from u.sqlite", then "rollcall build".';
const listing = (url: string, base: string) =>
  `Base URL "${url}" is the URL of the listing itself, and every link adds /api/users/; give ${base}.`;
const TOO_MANY = "too many arguments for 'build'. Expected 0 arguments but got";

test.each([
  ["build u.sqlite", IS_SOURCE],
  ["init u.sqlite", IS_SOURCE],
  ["u.sqlite", IS_SOURCE],
  ["build folder", `${TOO_MANY} 1; see "rollcall build --help".`],
  ["build a b", `${TOO_MANY} 2; see "rollcall build --help".`],
  ["serve u.sqlite", IS_SOURCE],
  ["releases u.sqlite", IS_SOURCE],
  ["verify u.sqlite", IS_SOURCE],
  ["use u.sqlite", IS_SOURCE],
  ["host nginx u.sqlite", IS_SOURCE],
  ["publish u.sqlite", IS_SOURCE],
  ["serve https://x", '--dist must be a path on this machine, got "https://x".'],
  [
    "build --db https://x/u.sqlite --base-url https://x",
    '--db must be a path on this machine, got "https://x/u.sqlite".',
  ],
  ["diff http://127.0.0.1:9/api/users/?page=1", listing("http://127.0.0.1:9/api/users/?page=1", "http://127.0.0.1:9")],
  [
    "build --db u.sqlite --base-url https://x/api/users/pages/2.json",
    listing("https://x/api/users/pages/2.json", "https://x"),
  ],
  ["host ngnix", 'There is no host "ngnix"; did you mean nginx?'],
  [
    "build --db u.sqlite --base-url https://x --adapt clodflare",
    'There is no host "clodflare"; did you mean cloudflare?',
  ],
])("rollcall %s", async (line, message) => {
  const cwd = scratch();
  writeUsers(join(cwd, "u.sqlite"), plainRows(1));
  mkdirSync(join(cwd, "folder"));
  expect(await rollcall(line, fakeIo(cwd))).toEqual({ code: 2, stdout: "", stderr: `error: ${message}\n` });
});
