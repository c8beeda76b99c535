/** For every verb: which settings it reads, and whether it reads the config file. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { VERBS } from "../../src/cli/program/verbs.js";
import { ExitCode } from "../../src/core/errors.js";
import { scratch } from "../support/files.js";
import { fakeIo, rollcall } from "./run.js";

const NAMES = Object.keys(VERBS);

/** The arguments of verbs that need one. */
const WORDS: Readonly<Record<string, string>> = {
  use: "x",
  forget: "1f6a",
  publish: "site",
  mirror: "http://127.0.0.1:1 mirror.sqlite",
};

test("a broken config file stops every verb that reads it, and only those", async () => {
  const cwd = scratch();
  writeFileSync(join(cwd, "rollcall.config.json"), "{,}");
  for (const [name, { isUnconfigured }] of Object.entries(VERBS)) {
    const { code, stderr } = await rollcall(`${name} ${WORDS[name] ?? ""}`, fakeIo(cwd));
    expect([name, code]).toEqual([name, isUnconfigured ? ExitCode.refused : ExitCode.usage]);
    expect(stderr.includes("is not JSON: line 1, column 2")).toBe(!isUnconfigured);
  }
});

test("a wrong setting stops the verbs that have it, and only those", async () => {
  const codes = async (env: Record<string, string>) => {
    const runs = NAMES.map(async (name) => {
      const { code, stderr } = await rollcall(`${name} ${WORDS[name] ?? ""}`, fakeIo(scratch(), { env }));
      return code === ExitCode.usage && stderr.startsWith("error: ROLLCALL_") ? name : undefined;
    });
    return (await Promise.all(runs)).filter((name) => name !== undefined);
  };
  expect(await codes({ ROLLCALL_PORT: "eighty" })).toEqual(["serve"]);
  expect(await codes({ ROLLCALL_PAGE_SIZE: "many" })).toEqual(["build", "diff", "dev"]);
  const writers = ["schema", "build", "diff", "verify", "dev", "serve", "host", "publish", "releases", "forget", "use"];
  expect(await codes({ ROLLCALL_DIST: "a\0b" })).toEqual(writers);
  expect(await codes({ ROLLCALL_QUIET: "very" })).toEqual(["init", "build", "publish", "mirror", "use"]);
});
