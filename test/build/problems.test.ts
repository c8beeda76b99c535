/** The file of problems: written completely or not at all, and never over another file. */
import { existsSync, linkSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { build, InvalidRecordsError, UserError } from "../../src/index.js";
import { plainRows, userId, writeUsers } from "../support/database.js";
import { scratch } from "../support/files.js";

let folder: string;
let db: string;
let problemsFile: string;

beforeEach(() => {
  folder = scratch();
  problemsFile = join(folder, "problems.ndjson");
  db = writeUsers(join(folder, "users.sqlite"), [...plainRows(30), { id: userId(99), country: "x" }]);
});

const publish = (path = problemsFile) =>
  build({ db, dist: join(folder, "dist"), baseUrl: "https://directory.example.com", problems: path });

test("has every problem, and takes the place of an older one", async () => {
  await expect(publish()).rejects.toThrow(InvalidRecordsError);
  await expect(publish()).rejects.toThrow(InvalidRecordsError);
  const lines = readFileSync(problemsFile, "utf8").split("\n").slice(0, -1);
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    {
      id: userId(99),
      path: "country",
      rule: "pattern",
      value: "x",
      message: "must match ^[A-Z]{2}$, like DE",
    },
  ]);
  db = writeUsers(join(folder, "mended.sqlite"), plainRows(3));
  await publish();
  expect(readFileSync(problemsFile, "utf8")).toBe("");
  expect(readdirSync(folder).filter((name) => name.includes("rollcall-new"))).toEqual([]);
});

test("has problems with values of any length, and leaves nothing in the temporary folder", async () => {
  const ids = Array.from({ length: 40 }, (_, at) => `${at}`.padEnd(100_000, "x"));
  db = writeUsers(
    join(folder, "long.sqlite"),
    ids.map((id) => ({ id })),
  );
  await expect(publish()).rejects.toThrow("40 of 40 users are invalid");
  const lines = readFileSync(problemsFile, "utf8").split("\n").slice(0, -1);
  expect(lines.map((line) => JSON.parse(line).id)).toEqual(ids.toSorted());
});

describe("is not put in the place of", () => {
  const contents = (path: string) => readFileSync(path);

  test.each([
    ["the source", () => linkSync(db, join(folder, "source.sqlite")), "users.sqlite"],
    ["a link to it", () => symlinkSync(db, problemsFile), "problems.ndjson"],
    ["its second name", () => linkSync(db, problemsFile), "problems.ndjson"],
    ["any other file", () => writeFileSync(problemsFile, "SELECT 1"), "problems.ndjson"],
  ])("%s", async (_, prepare, name) => {
    prepare();
    const path = join(folder, name);
    const [before, source] = [contents(path), contents(db)];
    await expect(publish(path)).rejects.toThrow(
      "exists and is not a file of problems; name another file, or remove this one.",
    );
    expect(contents(path).equals(before) && contents(db).equals(source)).toBe(true);
  });

  test("a folder or a device", async () => {
    mkdirSync(problemsFile);
    await expect(publish()).rejects.toThrow("is not a file of problems");
    await expect(publish("/dev/null")).rejects.toThrow("is not a file of problems");
  });

  test("anything in the folder of releases", async () => {
    await expect(publish(join(folder, "dist/problems.ndjson"))).rejects.toThrow("it is in");
  });
});

test("is not made when there was nothing to look at, or no room for it", async () => {
  db = join(folder, "missing.sqlite");
  await expect(publish()).rejects.toThrow("There is no file");
  expect(existsSync(problemsFile)).toBe(false);
  db = join(folder, "users.sqlite");
  await expect(publish(join(folder, "none/problems.ndjson"))).rejects.toThrow(
    /^Cannot write problems to .* \(ENOENT\); name another file.$/,
  );
});

test("circles that would change, or are nested without end, are a problem like any other", async () => {
  const deep = "[".repeat(100_000) + "]".repeat(100_000);
  db = writeUsers(join(folder, "deep.sqlite"), [
    { id: userId(1), circles: deep },
    { id: userId(3), circles: "[".repeat(40) + "]".repeat(40) },
    { id: userId(5), circles: '["\\ud800"]' },
    { id: userId(6), circles: '[1.0, {"a": [9007199254740993]}]' },
    { id: userId(7), circles: '[{"a": 1, "b": {"c": 1, "c": 1}}]' },
    { id: userId(9), circles: "[1, 2" },
  ]);
  const error = await publish().catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(UserError);
  const { first } = (error as InvalidRecordsError).problems;
  expect(first.map(({ id, path, message }) => [id, path, message])).toEqual([
    [userId(1), "circles", `${NOT_READ} (nested deeper than 320 levels)`],
    [userId(3), "circles.0", "must not be nested deeper than 32 levels"],
    [userId(5), "circles.0", "must not hold half a surrogate pair"],
    [userId(6), "circles", `${NOT_READ} (the number 9007199254740993 would become 9007199254740992)`],
    [userId(7), "circles", `${NOT_READ} (an object has the name "c" twice)`],
    [userId(9), "circles", `${NOT_READ} (line 1, column 6: close bracket expected, found the end of the text)`],
  ]);
});

const NOT_READ = "must be a JSON array, is TEXT that cannot be read as JSON";
