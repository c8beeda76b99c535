/** `rollcall verify URL` proves a host's steps: by form, by SHA256SUMS, and the newest against the pages that it serves. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import { encodeChanges } from "../../src/changes/steps.js";
import { createServer, type VerifyOptions, verify } from "../../src/index.js";
import { chainIn, changeBytes, changeChanges, changeLines, put, readChanges } from "../support/damage.js";
import { userId } from "../support/database.js";
import { scratch } from "../support/files.js";
import { freePort } from "../support/ports.js";

/** Serves a release whose steps were changed, and its SHA256SUMS with them. */
async function verified(damage: (folder: string) => void, options: Partial<VerifyOptions> = {}) {
  const [place, port] = [scratch(), await freePort()];
  const baseUrl = `http://127.0.0.1:${port}`;
  const { folder } = await chainIn(place, { baseUrl });
  damage(folder);
  const server = await createServer({ folder });
  onTestFinished(() => server.close());
  await server.listen({ port, host: "127.0.0.1" });
  const { rows } = await verify({ what: baseUrl, against: "none", dist: join(place, "dist"), ...options });
  const row = rows.find(({ name }) => name === "changes");
  const others = rows.filter(({ name, outcome }) => outcome === "differs" && name !== "changes");
  return { row, others: others.map(({ name }) => name) };
}

test("right steps pass, with all pages or a sample of them, and where the release is known", async () => {
  const passed = { row: { outcome: "passed", count: 0 }, others: [] };
  expect(await verified(() => {})).toMatchObject(passed);
  expect(await verified(() => {}, { sample: 1, against: "current" })).toMatchObject(passed);
});

type Damage = [what: string, make: (folder: string) => void, finding: object];

const PUT = `{"put":`;
/** Of the newest step, which puts users 1 and 3, both of page 1. */
const DAMAGES: Damage[] = [
  [
    "another record",
    (folder) => changeLines(folder, 0, (lines) => lines.map((line) => line.replace("edited", "edit"))),
    { id: userId(3), found: expect.stringMatching(/^a put of the record of /) },
  ],
  [
    "a record that is on no page",
    (folder) => changeLines(folder, 0, (lines) => lines.map((line) => line.replaceAll(userId(3), userId(500)))),
    { id: userId(500), expected: "a remove, since the record is gone afterwards" },
  ],
  [
    "a remove of a record that is on a page",
    (folder) => changeLines(folder, 0, (lines) => [...lines, `{"remove":"${userId(250)}"}`]),
    { id: userId(250), found: "a remove" },
  ],
  [
    "lines in another order",
    (folder) => changeLines(folder, 1, (lines) => lines.toReversed()),
    { expected: "each key once, in their order" },
  ],
  [
    "a record that is not valid in an older step",
    (folder) => changeLines(folder, 1, (lines) => lines.map((line) => line.replace('"user3"', "3"))),
    { id: userId(3), found: "username 3" },
  ],
  [
    "a gzip that is cut",
    (folder) => changeBytes(folder, (bytes) => bytes.subarray(0, -9)),
    { found: "a file that is not gzip to its end (Z_BUF_ERROR)" },
  ],
  [
    "more than readers unpack",
    (folder) => changeBytes(folder, () => gzipSync(Buffer.alloc(30_000_000, PUT))),
    { found: "more plain bytes" },
  ],
  [
    "another size",
    (folder) =>
      changeChanges(folder, ({ state, steps }) => ({ state, steps: steps.map((step) => ({ ...step, bytes: 3 })) })),
    { expected: "3, as in changes.json" },
  ],
  [
    "another state",
    (folder) => changeChanges(folder, ({ steps: [, older] }) => ({ state: older?.to, steps: [older] })),
    { found: expect.stringMatching(/^state /) },
  ],
  [
    "no JSON",
    (folder) => put(folder, "changes.json", "steps\n"),
    { found: "a file that is not JSON", expected: "the steps to this state" },
  ],
  [
    "another form",
    (folder) => put(folder, "changes.json", `${readFileSync(join(folder, "changes.json"))}`.replace(":", ": ")),
    { found: "another form" },
  ],
];

test.each(DAMAGES)("%s is found", async (_, make, finding) => {
  const { row, others } = await verified(make);
  expect(row?.findings).toContainEqual(expect.objectContaining(finding));
  expect(others).toEqual([]);
});

test("a step that is not there, or whose bytes are others than SHA256SUMS says, is a file that differs", async () => {
  const [gone, other] = [
    await verified((folder) => {
      const { state, steps } = readChanges(folder);
      put(folder, steps[1]?.file ?? "", undefined);
      put(folder, "changes.json", encodeChanges({ state, steps }));
    }),
    await verified((folder) => changeBytes(folder, (bytes) => Buffer.concat([bytes, Buffer.from("x")])), {
      against: "previous",
    }),
  ];
  expect(gone.others).toEqual(["files"]);
  expect(other.others).toContain("files");
});

test("with a sample, what is on its pages is compared, and what is not may be elsewhere", async () => {
  const wrong = (folder: string) =>
    changeLines(folder, 0, (lines) => lines.map((line) => line.replace("edited", "edit")));
  expect((await verified(wrong, { sample: 1 })).row).toMatchObject({ outcome: "differs", count: 1 });
  const elsewhere = (folder: string) =>
    changeLines(folder, 0, (lines) => lines.map((line) => line.replaceAll(userId(3), userId(500))));
  expect((await verified(elsewhere, { sample: 1 })).row).toMatchObject({ outcome: "passed" });
});
