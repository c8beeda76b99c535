/** A lock whose file the previous holder removes while it is opened. */
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { expect, onTestFinished, test } from "vitest";
import { lockDist } from "../../../src/core/release/lock.js";
import { scratch } from "../../support/files.js";

/** Removes a file before or after each of its next checks for access. */
function removeAtAccess(order: readonly ("before" | "after")[]): { left(): number } {
  const { accessSync } = fs;
  const steps = [...order];
  fs.accessSync = (path, mode) => {
    const step = fs.statSync(path).isFile() ? steps.shift() : undefined;
    if (step === "before") fs.rmSync(path);
    accessSync(path, mode);
    if (step === "after") fs.rmSync(path);
  };
  syncBuiltinESMExports();
  onTestFinished(() => {
    fs.accessSync = accessSync;
    syncBuiltinESMExports();
  });
  return { left: () => steps.length };
}

test("opens it again", () => {
  const folder = scratch();
  const now = new Date("2026-11-22");
  const removals = removeAtAccess(["before", "after"]);
  const unlock = lockDist(folder, now);
  onTestFinished(unlock);
  expect(removals.left()).toBe(0);
  expect(() => lockDist(folder, now)).toThrow(`${folder} is being written by process `);
});
