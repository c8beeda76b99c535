/** A lock whose file the previous holder removes while it is opened. */
import { rmSync } from "node:fs";
import { expect, test, vi } from "vitest";
import { lockTarget } from "../../src/release/lock.js";
import { scratch } from "../support/files.js";

let removals = 0;

vi.mock("better-sqlite3", async (original) => {
  const { default: Database } = await original<{ default: typeof import("better-sqlite3") }>();
  return {
    default: class extends Database {
      constructor(...[path, options]: ConstructorParameters<typeof Database>) {
        if (removals > 0) rmSync(String(path));
        removals--;
        super(path, options);
      }
    },
  };
});

test("opens it again", () => {
  const folder = scratch();
  const now = new Date("2026-11-22");
  removals = 2;
  const unlock = lockTarget(folder, now, "site");
  expect(removals).toBe(-1);
  expect(() => lockTarget(folder, now, "site")).toThrow("site is being written by process ");
  unlock();
});
