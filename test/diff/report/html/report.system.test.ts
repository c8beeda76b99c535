/** The HTML report as a stream: one file, deterministic, in bounded memory. */
import { createHash } from "node:crypto";
import { Worker } from "node:worker_threads";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Diff } from "../../../../src/core/compare/change.js";
import { htmlReport } from "../../../../src/diff/report/html.js";
import { ndjsonReport } from "../../../../src/diff/report/json.js";
import { bundled } from "../../../support/bundle.js";
import { anyDiff, changed, diffOf, person } from "../../../support/diffs.js";
import { collect } from "../collect.js";
import { manyChanges } from "./samples.js";

const report = (diff: Diff, exceeded: readonly string[] = []) => collect(htmlReport(diff, { exceeded }));

const SAMPLE = manyChanges({ added: 30, removed: 20, changed: 100 }, 5000);

describe("the file", () => {
  test("has a policy that allows its own script and style, and nothing else", async () => {
    const text = await report(SAMPLE);
    const [, policy = ""] = /http-equiv="Content-Security-Policy" content="([^"]+)"/.exec(text) ?? [];
    const hash = (source = "") => `'sha256-${createHash("sha256").update(source).digest("base64")}'`;
    const [, script] = /<script>(.*?)<\/script>/s.exec(text) ?? [];
    const [, style] = /<style>(.*?)<\/style>/s.exec(text) ?? [];
    expect(policy.replaceAll("&#39;", "'").split("; ")).toEqual([
      ...["default-src 'none'", `script-src ${hash(script)}`, `style-src ${hash(style)}`],
      ...["base-uri 'none'", "form-action 'none'"],
      ...["require-trusted-types-for 'script'", "trusted-types 'none'"],
    ]);
    // The policy comes before everything that it governs.
    expect(text.indexOf("Content-Security-Policy")).toBeLessThan(
      Math.min(text.indexOf("<style"), text.indexOf("<script")),
    );
  });

  test("references no other file, and has no style or handler in an attribute", async () => {
    const text = (await report(SAMPLE)).replace(/<script.*?<\/script>|<style.*?<\/style>/gs, "");
    expect(text).not.toMatch(/\s(?:src|srcset|action|style|on\w+)=/);
    expect([...text.matchAll(/\shref="([^"]*)"/g)].map(([, target]) => target)).toEqual(["#changes"]);
  });

  test("no text of a user, side or gate breaks the markup", async () => {
    await fc.assert(
      fc.asyncProperty(anyDiff, fc.string({ unit: "binary" }), async (diff, sentence) => {
        const text = await report(diff, [sentence]);
        const data = [...text.matchAll(/<script type="application\/(?:json|x-ndjson)"[^>]*>(.*?)<\/script>/gs)];
        for (const [, json = ""] of data) {
          for (const line of json.trim().split("\n")) JSON.parse(line);
          expect(json).not.toMatch(/<|(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u);
        }
        expect(text).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u);
      }),
      { numRuns: 50 },
    );
  });
});

test("has the lines of --format ndjson, and the names of records", async () => {
  await fc.assert(
    fc.asyncProperty(anyDiff, async (diff) => {
      const text = await report(diff);
      const blocks = [...text.matchAll(/<script type="application\/x-ndjson"[^>]*>\n(.*?)\n<\/script>/gs)];
      const lines = blocks.flatMap(([, lines = ""]) => lines.split("\n")).map((line) => JSON.parse(line));
      const expected = (await collect(ndjsonReport(diff))).split("\n").filter((line) => line !== "");
      const changes = expected.map((line) => JSON.parse(line)).filter(({ kind }) => kind !== "contract");
      expect(lines.map(({ names, ...change }) => change)).toEqual(changes);
      expect(lines.every(({ names }) => Array.isArray(names))).toBe(true);
    }),
    { numRuns: 50 },
  );
});

describe("the summary", () => {
  const main = async (diff: Diff, exceeded?: string[]) =>
    (await report(diff, exceeded))
      .replace(/<style.*?<\/style>/s, "")
      .replace(/<[^>]+>/g, " ")
      .replace(/\s+/g, " ");

  test("names both sides, and other differences in one line", async () => {
    const diff = diffOf([changed(person(1), person(1, { bio: "" }))], {
      unchanged: 1203,
      old: { baseUrl: "https://a.example", pageSize: 100 },
      new: { name: "users.sqlite", id: "abc", baseUrl: "https://b.example", pageSize: 50, links: "path" },
    });
    expect(await main(diff)).toContain(
      `1 user differs Old ${diff.old.name} 1,204 users on 13 pages → New users.sqlite (abc) 1,204 users on 25 pages ` +
        "Also different: base URL from https://a.example to https://b.example, page size from 100 to 50, links from query to path. " +
        "Added 0 Removed 0 Changed 1 Unchanged 1,203 Changes The list needs",
    );
  });
});

test("writes half a million changes in 48 MB of memory", async () => {
  const worker = new Worker(LONG_REPORT, {
    eval: true,
    resourceLimits: { maxOldGenerationSizeMb: 48 },
    workerData: ["src/diff/report/html.ts", "src/core/contract/users.ts"].map((path) => bundled(path).href),
  });
  const [length, longest] = await new Promise<[number, number]>((resolve, reject) => {
    worker.once("message", resolve);
    worker.once("error", reject);
  });
  expect(length).toBeGreaterThan(50_000_000);
  expect(longest).toBeLessThan(1_000_000);
}, 120_000);

/** Reads a report in pieces. @returns its length, and that of the longest piece. */
const LONG_REPORT = `
const { parentPort, workerData } = require("node:worker_threads");
const side = { name: "a", id: undefined, count: 500000, pages: 5000, pageSize: 100, baseUrl: undefined, links: undefined };
const user = (n, bio) => ({ id: String(n), bio, display_name: "A".repeat(50), username: "u" + n });
const diffOf = (contract) => ({
  old: { ...side, contract }, new: { ...side, contract }, added: 0, removed: 0, changed: 500000, unchanged: 0,
  fields: new Map([["bio", 500000]]), flow: [],
  async *changes(kind) {
    if (kind !== undefined && kind !== "changed") return;
    for (let n = 0; n < 500000; n++) {
      const [old, now] = [user(n, "old ".repeat(5)), user(n, "new ".repeat(5))];
      yield { kind: "changed", id: old.id, fields: [{ path: "bio", old: old.bio, new: now.bio }], old, new: now };
    }
  },
});
(async () => {
  const [{ htmlReport }, { USERS_CONTRACT }] = await Promise.all(workerData.map((url) => import(url)));
  let [length, longest] = [0, 0];
  for await (const piece of htmlReport(diffOf(USERS_CONTRACT), { exceeded: [] })) {
    length += piece.length;
    longest = Math.max(longest, piece.length);
  }
  parentPort.postMessage([length, longest]);
})();
`;
