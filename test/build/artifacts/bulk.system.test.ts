import { type BuildOptions, build, verify } from "rollcall";
import { expect, test } from "vitest";
import { plainRows, usersFile } from "../../support/database.js";
import { scratch } from "../../support/files.js";
import { linesOfPages, readBulk } from "./bulk-files.js";

const baseUrl = "https://directory.example.com";

const outcomeOf = async (options: Omit<BuildOptions, "dist" | "baseUrl">) => {
  const { folder } = await build({ ...options, baseUrl, dist: scratch(), bulk: true });
  return { folder, ...readBulk(folder) };
};

test("nothing of the gzip tells of the machine or the time", async () => {
  const { files } = await outcomeOf({ db: usersFile(plainRows(5)) });
  expect(files[0]?.subarray(0, 10)).toEqual(Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]));
});

test("an empty collection has one empty part", async () => {
  const { folder, text, lines } = await outcomeOf({ db: usersFile([]) });
  expect(lines).toBe("");
  expect(JSON.parse(text)).toMatchObject({ count: 0, parts: [{ file: "bulk/1.ndjson.gz", count: 0 }] });
  expect(await verify({ what: folder })).toMatchObject({ passed: true });
});

test("invalid records that are left out are left out of it, too", async () => {
  const rows = plainRows(300).map((row, at) => (at % 100 === 7 ? { ...row, country: "nowhere" } : row));
  const db = usersFile(rows);
  const { folder, lines } = await outcomeOf({ db, skipInvalid: true, pageSize: 50 });
  expect(lines).toBe(linesOfPages(folder));
  expect(lines.split("\n")).toHaveLength(298);
});
