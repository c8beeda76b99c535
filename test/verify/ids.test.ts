/** Ids that come twice are found among more than memory holds at a time. */
import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { AllUsersCheck, BatchCheck } from "../../src/verify/order.js";
import { Findings } from "../../src/verify/verdict.js";
import { USER_PAGES } from "../support/pages.js";

/** Adds ids, some a page, and tells what was found. */
function find(ids: readonly string[], perPage: number) {
  const findings = new Findings();
  const all = new AllUsersCheck(findings, USER_PAGES);
  const none = new Findings();
  for (let at = 0; at < ids.length; at += perPage) {
    const users = new BatchCheck(none, USER_PAGES);
    users.add(
      1 + at / perPage,
      ids.slice(at, at + perPage).map((id) => ({ id, joined: "" })),
    );
    all.add(1 + at / perPage, 1, users.finish());
  }
  all.finish();
  all.close();
  return findings.of("unique-ids");
}

test("400,000 ids, which go to disk; three come again", { timeout: 60_000 }, () => {
  const ids: string[] = Array.from({ length: 400_000 }, () => randomUUID());
  const [first = "", second = "", third = ""] = [ids[0], ids[150_000], ids[399_999]];
  expect(find(ids, 1000)).toEqual({ count: 0, first: [] });
  ids[200_000] = first;
  ids[300_000] = first;
  ids[150_001] = second;
  ids[1] = third;
  const { count, first: found } = find(ids, 1000);
  expect(count).toBe(3);
  expect(found).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ page: 1, id: first, found: "3 times, on pages 1 to 301" }),
      expect.objectContaining({ page: 151, id: second, found: "2 times, on page 151" }),
      expect.objectContaining({ page: 1, id: third, found: "2 times, on pages 1 to 400" }),
    ]),
  );
});

test("one id for all", () => {
  const id = randomUUID();
  expect(
    find(
      Array.from({ length: 5000 }, () => id),
      100,
    ),
  ).toMatchObject({
    count: 1,
    first: [{ id, found: "5000 times, on pages 1 to 50" }],
  });
});

test("ids that differ in one digit, and what is no id", () => {
  const ids = Array.from({ length: 2000 }, (_, at) => `00000000-0000-4000-8000-${`${at}`.padStart(12, "0")}`);
  expect(find([...ids, "", "", "x", "x"], 7)).toEqual({ count: 0, first: [] });
});
