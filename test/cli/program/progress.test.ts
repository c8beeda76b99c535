import { expect, test } from "vitest";
import { describe, progressBar } from "../../../src/cli/program/progress.js";
import { fakeIo } from "../run.js";

test.each([
  [0, 4000, 0, `${"░".repeat(30)} 0 of 4,000 users`],
  [1000, 4000, 2000, `${"█".repeat(8)}${"░".repeat(22)} 1,000 of 4,000 users, 500 users/s, 6.00 s left`],
  [4000, 4000, 2000, `${"█".repeat(30)} 4,000 of 4,000 users, 2,000 users/s, 0.00 s left`],
])("%i of %i users after %i ms", (users, total, milliseconds, line) => {
  expect(describe(users, total, "user", milliseconds, 100)).toBe(line);
  const people = line.replaceAll("users", "people");
  expect(describe(users, total, ["person", "people"], milliseconds, 100).replace(/^.* (?=\d+.* of)/, "")).toBe(
    people.replace(/^.* (?=\d+.* of)/, ""),
  );
});

test.each([
  [100, `${"█".repeat(8)}${"░".repeat(22)} 12,500,000 of 50,000,000 users, 250,000 users/s, 2 min 30 s left`],
  [80, `${"█".repeat(4)}${"░".repeat(10)} 12,500,000 of 50,000,000 users, 250,000 users/s, 2 min 30 s left`],
  [60, `${"█".repeat(3)}${"░".repeat(8)} 12,500,000 of 50,000,000 users, 2 min 30 s left`],
  [50, "12,500,000 of 50,000,000 users, 2 min 30 s left"],
  [20, "12,500,000 of 50,00"],
])("the line fits a terminal of %i columns", (columns, line) => {
  expect(describe(12_500_000, 50_000_000, "user", 50_000, columns)).toBe(line);
  expect(line.length).toBeLessThan(columns);
});

async function watch(isTTY: boolean) {
  const clock = { ms: 0 };
  const io = fakeIo("/", { isTTY, now: () => clock.ms });
  return { io, bar: progressBar(io, "user"), clock };
}

test("a build of less than a second shows nothing", async () => {
  const { io, bar, clock } = await watch(true);
  for (const ms of [0, 500, 999]) {
    clock.ms = ms;
    bar?.update(ms, 4000);
  }
  bar?.clear();
  expect(io.stderr.text).toBe("");
});

test("shows the bar after a second, and removes it before other output", async () => {
  const { io, bar, clock } = await watch(true);
  clock.ms = 2000;
  bar?.update(1000, 4000);
  expect(io.stderr.text).toContain("1,000 of 4,000 users, 500 users/s, 6.00 s left");
  bar?.clear();
  expect(io.stderr.text.endsWith("\x1b[1G\x1b[2K")).toBe(true);
  expect(io.stderr.text, "the cursor and wrapping are left alone").not.toContain("\x1b[?");
});

test("counts in the contract's words once it is read", async () => {
  const { io, bar, clock } = await watch(true);
  clock.ms = 2000;
  bar?.update(1000, 4000, ["station", "stations"]);
  clock.ms = 4000;
  bar?.update(2000, 4000);
  bar?.clear();
  expect(io.stderr.text).toContain("1,000 of 4,000 stations, 500 stations/s");
  expect(io.stderr.text).not.toContain("users");
});

test("a second pass has its own rate", async () => {
  const { io, bar, clock } = await watch(true);
  clock.ms = 4000;
  bar?.update(4000, 4000);
  bar?.update(0, 4000);
  clock.ms = 5000;
  bar?.update(2000, 4000);
  bar?.clear();
  expect(io.stderr.text).toContain("2,000 of 4,000 users, 2,000 users/s, 1.00 s left");
});
