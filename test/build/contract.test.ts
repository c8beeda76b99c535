/** A contract comes from a file or an object; a bad one stops a build before anything is read or written. */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loadContract } from "../../src/core/contract/file/load.js";
import { ExitCode, UserError } from "../../src/core/errors.js";
import { build } from "../../src/index.js";
import { runSql } from "../support/database.js";
import { scratch } from "../support/files.js";
import { STATIONS } from "../support/stations.js";

async function refusalOf(load: () => Promise<unknown>): Promise<UserError> {
  try {
    await load();
  } catch (error) {
    if (error instanceof UserError) return error;
    throw error;
  }
  throw new Error("Nothing was refused");
}

test("a file that cannot be read", async () => {
  const cwd = scratch();
  mkdirSync(join(cwd, "folder"));
  writeFileSync(join(cwd, "latin1.json"), Buffer.from([0x7b, 0xe9, 0x7d]));
  writeFileSync(join(cwd, "large.json"), " ".repeat(1_000_001));
  const messageOf = async (name: string) => {
    const error = await refusalOf(() => loadContract(join(cwd, name)));
    expect(error.exitCode).toBe(ExitCode.usage);
    return error.message.replaceAll(`${cwd}/`, "");
  };
  expect(await messageOf("none.json")).toBe(
    "There is no file none.json; --contract names the JSON file of a contract.",
  );
  expect(await messageOf("folder")).toBe("folder is a folder; --contract names the JSON file of a contract.");
  expect(await messageOf("latin1.json")).toBe("latin1.json is not text in UTF-8; save it as UTF-8.");
  expect(await messageOf("large.json")).toContain("large.json has 1000001 bytes, more than 1000000");
});

test("a condition that one row cannot be asked of refuses the build with a line that says so", async () => {
  const cwd = scratch();
  runSql(
    join(cwd, "t.sqlite"),
    "CREATE TABLE things (id INTEGER PRIMARY KEY, n INTEGER); INSERT INTO things VALUES (1, -9223372036854775808)",
  );
  const file = {
    type: "object",
    "x-listing": { path: "/things/", words: ["thing", "things"], key: "id", order: ["id"], version: 1 },
    properties: { id: { type: "integer" }, n: { type: "integer" } },
    required: ["id", "n"],
    additionalProperties: false,
    "x-observed": [{ name: "far", sql: "abs(n) < 9" }],
  } as const;
  const options = {
    db: join(cwd, "t.sqlite"),
    table: "things",
    baseUrl: "https://example.com",
    dist: join(cwd, "dist"),
  };
  const error = await refusalOf(() => build({ ...options, contract: file }));
  expect(error.message).toMatch(
    /t\.sqlite has a row that SQLite cannot evaluate: a condition of the contract, .* \(integer overflow\)\.$/,
  );
});

test("a build with a gate on no field of its contract writes nothing", async () => {
  const cwd = scratch();
  const options = { db: join(cwd, "none.sqlite"), baseUrl: "https://example.com", dist: join(cwd, "dist") };
  const refusal = (more: Partial<Parameters<typeof build>[0]>) =>
    build({ ...options, ...more }).then(
      () => undefined,
      (error: unknown) => error,
    );
  const maxField = ["nam=10"];
  expect(await refusal({ contract: STATIONS, maxField })).toMatchObject({
    exitCode: ExitCode.usage,
    message: 'maxField names "nam", which is not a field; did you mean name?',
  });
  expect(await refusal({ contract: STATIONS, maxField: ["position=10"] })).toMatchObject({
    message: expect.stringContaining('maxField names "position", which is not a field'),
  });
  expect(existsSync(options.dist)).toBe(false);
});
