/** Properties of pages over any valid user, including hard text. */
import { createHash } from "node:crypto";
import { join } from "node:path";
import Database from "better-sqlite3";
import fc from "fast-check";
import stringify from "fast-json-stable-stringify";
import { expect, test } from "vitest";
import { contractOf } from "../../../src/core/contract/contract.js";
import { pagesFor } from "../../../src/core/contract/links.js";
import type { Page } from "../../../src/core/contract/page.js";
import { recordEncoder } from "../../../src/core/contract/record/encode.js";
import { recordFinder } from "../../../src/core/contract/record/locate.js";
import { USERS_CONTRACT, type User } from "../../../src/core/contract/users.js";
import { recordLines } from "../../../src/core/release/record-lines.js";
import { build } from "../../../src/index.js";
import { insertUsers, writeUsers } from "../../support/database.js";
import { readTree, scratch } from "../../support/files.js";
import { draws } from "../../support/random.js";
import { anyUser, checkUser, encodeUser, toRow } from "../../support/users.js";
import { contractOfThings } from "../compare/things.js";

const finder = recordFinder(USERS_CONTRACT);

test("accepts valid records, and does not change them", () => {
  fc.assert(
    fc.property(anyUser, (user) => {
      const before = JSON.stringify(user);
      expect(checkUser(user)).toEqual([]);
      expect(JSON.stringify(user)).toBe(before);
    }),
  );
});

test("encodes users like fast-json-stable-stringify, without loss", () => {
  fc.assert(
    fc.property(anyUser, (user) => {
      const text = encodeUser(user);
      expect(text).toBe(stringify(user));
      expect(JSON.parse(text)).toEqual(user);
      expect(text).not.toMatch(/[\n\r]/);
    }),
    { numRuns: draws(1000) },
  );
});

test("sorts keys at every depth of x-json fields", () => {
  const json = { "x-json": true } as const;
  const encode = recordEncoder(contractOf(contractOfThings({ note: json, kind: json })));
  const nested = { b: [{ d: 1, c: 2 }], a: "" };
  const text = '{"a":"","b":[{"c":2,"d":1}]}';
  for (const [kind, note, expected] of [
    [nested, 1, `"kind":${text},"note":1`],
    [1, nested, `"kind":1,"note":${text}`],
  ])
    expect(encode({ key: "k", kind, note, size: 1 })).toBe(`{"key":"k",${expected},"size":1}`);
});

test("the record list has the digest of each user's text, even if the text contains ids", () => {
  const sly = anyUser.map((user) => ({
    ...user,
    bio: `${user.bio}","id":"x`,
    circles: [{ a: 1, id: user.id.toUpperCase() }],
  }));
  fc.assert(
    fc.property(fc.array(fc.oneof(anyUser, sly), { maxLength: 9 }), (users) => {
      const lines = String(recordLines(finder, Buffer.from(users.map(encodeUser).join(",\n"))));
      const sums = users.map((user) => createHash("sha256").update(stringify(user)).digest("hex"));
      expect(lines).toBe(users.map(({ id }, at) => `${sums[at]?.slice(0, 32)}  ${id}\n`).join(""));
    }),
    { numRuns: draws(1000) },
  );
});

test("pages have every user once, in order, one a line, with correct links and counts", async () => {
  const users = fc.uniqueArray(anyUser, { maxLength: 25, selector: ({ id }) => id });
  await fc.assert(
    fc.asyncProperty(users, fc.integer({ min: 1, max: 10 }), async (made, pageSize) => {
      const pages = pagesFor(made.length, pageSize);
      const texts = await publish(made, pageSize);
      const envelopes: Page[] = texts.map((text) => JSON.parse(text));
      expect(texts).toHaveLength(pages);
      expect(envelopes.flatMap(({ results }) => results)).toEqual(newestFirst(made));
      for (const [index, { count, next, previous, results }] of envelopes.entries()) {
        const link = (page: number) => `https://directory.example.com/api/users/?format=api&page=${page}`;
        const isLast = index === pages - 1;
        expect(count).toBe(made.length);
        expect(next).toBe(isLast ? null : link(index + 2));
        expect(previous).toBe(index === 0 ? null : link(index));
        if (!isLast) expect(results).toHaveLength(pageSize);
        expect(texts[index]?.endsWith("\n")).toBe(true);
        expect(texts[index]?.split("\n")).toHaveLength(results.length === 0 ? 2 : results.length + 3);
        expect(JSON.parse(stringify(envelopes[index]))).toEqual(envelopes[index]);
      }
    }),
    { numRuns: draws(30) },
  );
});

/** The texts of all pages that a build makes of these users. */
async function publish(users: readonly User[], pageSize: number): Promise<string[]> {
  const folder = scratch();
  const file = writeUsers(join(folder, "users.sqlite"), []);
  const db = new Database(file);
  insertUsers(db, users.map(toRow));
  db.close();
  const options = { db: file, dist: join(folder, "dist"), pageSize, baseUrl: "https://directory.example.com" };
  const release = await build(options);
  const tree = readTree(join(release.folder, "api/users/pages"));
  return Array.from({ length: release.pages }, (_, at) => tree.get(`${at + 1}.json`) ?? "");
}

function newestFirst(users: readonly User[]): User[] {
  return users.toSorted((a, b) =>
    a.date_joined === b.date_joined ? compare(a.id, b.id) : compare(b.date_joined, a.date_joined),
  );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
