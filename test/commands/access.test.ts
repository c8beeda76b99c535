import { expect, test } from "vitest";
import { accessLine } from "../../src/commands/serve.js";

const entry = {
  time: new Date(Date.UTC(2026, 10, 21, 3, 40)),
  remote: "127.0.0.1",
  method: "GET",
  url: "/api/users/?page=1",
  status: 200,
  bytes: 34567,
  ms: 1.234,
  release: "1f6a9c0d2b7e",
};

test("a line for people", () => {
  expect(accessLine(entry, false)).toBe(
    "2026-11-21T03:40:00.000Z 127.0.0.1 GET /api/users/?page=1 200 34567 1.2ms 1f6a9c0d2b7e",
  );
});

test("a line for machines", () => {
  expect(JSON.parse(accessLine(entry, true))).toEqual({ ...entry, time: "2026-11-21T03:40:00.000Z" });
});

test.each([true, false])("no request can forge a line or reach the terminal (as JSON: %s)", (asJson) => {
  const url = "/\n127.0.0.1 GET / 200\r\x1b[2J\x9b\x7f\u2028\u202e";
  const line = accessLine({ ...entry, url, method: "G\tT" }, asJson);
  expect(line).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
  if (asJson) expect(JSON.parse(line)).toMatchObject({ url, method: "G\tT" });
  else expect(line.split(" ")).toHaveLength(8);
});

test("what is not known is a dash, so that the fields stay in place", () => {
  expect(accessLine({ ...entry, remote: "" }, false)).toContain("Z - GET ");
});
