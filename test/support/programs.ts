/** Tests that need a program of the system, which not every machine has. */
import { describe } from "vitest";
import { findProgram } from "./installed.js";

/**
 * A suite of tests that need this program, given where it is. Without it they are skipped, by name; with
 * ROLLCALL_TEST_ALL=1 they fail instead, so that a gate cannot pass for want of a program.
 */
export function describeWith(program: string, name: string, tests: (path: string) => void): void {
  const path = findProgram(program);
  const mustRun = process.env["ROLLCALL_TEST_ALL"] === "1";
  describe.skipIf(path === undefined && !mustRun)(`${name} (needs ${program})`, () => tests(path ?? program));
}
