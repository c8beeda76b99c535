/** Misplaced words: the message suggests the right command. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { plainRows, writeUsers } from "../support/database.js";
import { scratch } from "../support/files.js";
import { fakeIo, rollcall } from "./run.js";

const misplaced = (then: string) =>
  `u.sqlite is a file of records, but releases are expected. To see it: "rollcall dev u.sqlite". To release it: "rollcall init --from u.sqlite", "rollcall build", then "rollcall ${then}".`;
const listing = (url: string, base: string) =>
  `Base URL "${url}" is the URL of the listing itself, and every link adds /api/users/; give ${base}.`;
const TOO_MANY = "too many arguments for 'build'. Expected 0 arguments but got";

test.each([
  ["build u.sqlite", `build does not take an argument; did you mean "rollcall build --db u.sqlite"?`],
  ["build folder", `build does not take an argument; did you mean "rollcall build --dist folder"?`],
  ["init u.sqlite", `init does not take an argument; did you mean "rollcall init --from u.sqlite"?`],
  [
    "u.sqlite",
    `u.sqlite is a file of records, not a verb. To see it: "rollcall dev u.sqlite". To write a contract for it: "rollcall init --from u.sqlite".`,
  ],
  ["build a b", `${TOO_MANY} 2; see "rollcall build --help".`],
  ["serve u.sqlite", misplaced("serve")],
  ["releases u.sqlite", misplaced("releases")],
  ["verify u.sqlite", misplaced("verify")],
  ["use u.sqlite", misplaced("use ID")],
  ["host nginx u.sqlite", misplaced("host NAME")],
  ["publish u.sqlite", misplaced("publish FOLDER")],
  [
    "serve https://x",
    'https://x is a URL, but the folder of the releases is expected. To check what is deployed there: "rollcall verify https://x".',
  ],
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
