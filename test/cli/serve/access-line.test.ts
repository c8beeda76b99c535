import { expect, test } from "vitest";
import { accessLine } from "../../../src/cli/serve/access-line.js";
import { createLogQueue } from "../../../src/serve/access-log.js";

const entry = {
  time: new Date(Date.UTC(2026, 10, 21, 3, 40)),
  remote: "127.0.0.1",
  method: "GET",
  url: "/api/users/?page=1",
  version: "1.1",
  agent: "curl/8.0",
  referer: "",
  status: 200,
  bytes: 34567,
  ms: 1.234,
  release: "1f6a9c0d2b7e",
};

test("writes JSON", () => {
  const { version: _version, agent: _agent, referer: _referer, ...told } = entry;
  expect(JSON.parse(accessLine(entry, "json"))).toEqual({ ...told, time: "2026-11-21T03:40:00.000Z" });
});

test.each(["json", "combined"] as const)("no request can forge a line or control the terminal (%s)", (form) => {
  const url = "/\n127.0.0.1 GET / 200\r\x1b[2J\x9b\x7f\u2028\u202e";
  const line = accessLine({ ...entry, url, method: "G\tT", agent: url, referer: url }, form);
  expect(line).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
  if (form === "json") expect(JSON.parse(line)).toMatchObject({ url, method: "G\tT" });
});

test.each([
  [{}, '127.0.0.1 - - [21/Nov/2026:03:40:00 +0000] "GET /api/users/?page=1 HTTP/1.1" 200 34567 "-" "curl/8.0"'],
  [
    { remote: "fe80::1%eth0", method: "-", url: "-", version: "", agent: "", status: 400, bytes: 26 },
    'fe80::1 - - [21/Nov/2026:03:40:00 +0000] "-" 400 26 "-" "-"',
  ],
  [
    { remote: "", referer: 'a"b\\c\u0001', agent: "\xe9\u20ac", status: 499, bytes: 0 },
    '0.0.0.0 - - [21/Nov/2026:03:40:00 +0000] "GET /api/users/?page=1 HTTP/1.1" 499 0 "a\\x22b\\x5Cc\\x01" "\\xE9\\xE2\\x82\\xAC"',
  ],
  [
    { url: `/${'"'.repeat(9000)}`, agent: "a".repeat(9000) },
    `127.0.0.1 - - [21/Nov/2026:03:40:00 +0000] "GET /${"\\x22".repeat(599)}... HTTP/1.1" 200 34567 "-" "${"a".repeat(697)}..."`,
  ],
])("writes %j in the combined format", (given, line) => {
  expect(accessLine({ ...entry, ...given }, "combined")).toBe(line);
});

test("a log whose reader stalls keeps what fits, and counts dropped entries in order", () => {
  const drops: boolean[] = [];
  const given: (number | string)[] = [];
  const done: (() => void)[] = [];
  const { add } = createLogQueue(
    3_000,
    (items, next) => {
      for (const item of items) given.push("dropped" in item ? `${item.dropped} dropped` : item.status);
      done.push(next);
    },
    (isFirst) => drops.push(isFirst),
  );
  for (let status = 1; status <= 5; status++) add({ ...entry, url: "x".repeat(692), status });
  expect(given).toEqual([1]);
  done.shift()?.();
  add({ ...entry, url: "x".repeat(692), status: 6 });
  done.shift()?.();
  done.shift()?.();
  expect(given).toEqual([1, 2, 3, "2 dropped", 6]);
  expect(drops).toEqual([true, false]);
});

test("waits until the last lines are written, unless their reader stalls", async () => {
  const finish: (() => void)[] = [];
  let written = 0;
  const queue = createLogQueue(10_000, (items, done) => {
    written += items.length;
    finish.push(done);
  });
  await queue.written(0);
  for (let at = 0; at < 3; at++) queue.add(entry);
  await queue.written(0);
  expect(written).toBe(1);
  const all = queue.written(600_000);
  for (const done of finish) done();
  await all;
  expect(written).toBe(3);
});

test("dropped entries are a valid line in each format", () => {
  const gap = { time: entry.time, dropped: 12 };
  expect(JSON.parse(accessLine(gap, "json"))).toEqual({ time: "2026-11-21T03:40:00.000Z", dropped: 12 });
  expect(accessLine(gap, "combined")).toBe(
    '0.0.0.0 - - [21/Nov/2026:03:40:00 +0000] "-" 500 0 "-" "rollcall: 12 lines dropped"',
  );
});
