/** The benchmark command measures every program once, and leaves no files. */
import { spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { whenEnded } from "../support/command.js";
import { scratch } from "../support/files.js";
import { isMissing } from "../support/installed.js";

test.skipIf(isMissing("/usr/bin/time", "cc"))("build prints a row for each program", async () => {
  const folder = scratch();
  const bench = [
    "--import",
    "tsx",
    "scripts/bench.ts",
    "build",
    "--users",
    "2000",
    "--rounds",
    "1",
    "--folder",
    folder,
  ];
  const { code, stdout, stderr } = await whenEnded(spawn(process.execPath, bench));
  expect(code, stderr).toBe(0);
  const rows = [...stdout.matchAll(/^\| (.*?) \|(?: [\d.]+ \|){4}$/gm)].map(([, name]) => name);
  expect(rows, stdout).toEqual([
    "rollcall build",
    "rollcall build, rows in published order",
    "rollcall build, rows in random order",
    "rollcall build, orders with two fields of type number",
    "rollcall build, orders with two fields of type integer",
    "obvious Node program",
    "C program",
  ]);
  expect(readdirSync(folder)).toEqual([]);
});
