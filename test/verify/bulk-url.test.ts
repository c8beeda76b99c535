/** `rollcall verify URL` proves the parts of a host against its pages, whatever its own digests say of them. */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import { type Bulk, encodeBulk } from "../../src/bulk/parts.js";
import { build, createServer } from "../../src/index.js";
import { sha256 } from "../../src/release/files.js";
import { fakeIo, rollcall } from "../commands/run.js";
import { plainRows, writeUsers } from "../support/database.js";
import { scratch } from "../support/files.js";
import { freePort } from "../support/ports.js";

const PART = "bulk/1.ndjson.gz";

interface Damage {
  lines?(lines: string[]): string[];
  bulk?(bulk: Bulk): Bulk;
  part?(bytes: Buffer): Buffer;
}

/** Serves a release with a changed part, whose bulk.json and SHA256SUMS fit to it unless said. */
async function verified({ lines, bulk, part }: Damage, flags = "", records = 25): Promise<Record<string, string>> {
  const [cwd, port] = [scratch(), await freePort()];
  const db = writeUsers(join(cwd, "users.sqlite"), plainRows(records));
  const baseUrl = `http://127.0.0.1:${port}`;
  const { folder } = await build({ db, out: join(cwd, "dist"), baseUrl, pageSize: 10, bulk: true });
  const read = (path: string) => readFileSync(join(folder, path));
  const put = (path: string, bytes: Buffer | string) => {
    const [was, file] = [sha256(read(path)), join(folder, path)];
    rmSync(file);
    writeFileSync(file, bytes);
    writeFileSync(join(folder, "SHA256SUMS"), `${read("SHA256SUMS")}`.replace(was, sha256(bytes)));
  };
  if (lines) {
    const plain = lines(`${gunzipSync(read(PART))}`.split("\n")).join("\n");
    const said: Bulk = JSON.parse(`${read("bulk.json")}`);
    put(PART, gzipSync(plain));
    const own = { ...said.parts[0], sha256: sha256(plain), bytes: read(PART).length } as Bulk["parts"][number];
    put("bulk.json", encodeBulk({ ...said, sha256: sha256(plain), parts: [own] }));
  }
  if (part) put(PART, part(read(PART)));
  if (bulk) put("bulk.json", encodeBulk(bulk(JSON.parse(`${read("bulk.json")}`))));
  const server = await createServer({ folder });
  onTestFinished(() => server.close());
  await server.listen({ port, host: "127.0.0.1" });
  const { stdout } = await rollcall(`verify ${baseUrl} --against none --json ${flags}`, fakeIo(cwd));
  const { rows }: { rows: { name: string; outcome: string }[] } = JSON.parse(stdout);
  const told = rows.filter(({ name, outcome }) => outcome === "differs" || name === "bulk" || name === "part-range");
  return Object.fromEntries(told.map(({ name, outcome }) => [name, outcome]));
}

test.each([0, 1, 20, 25])("the parts of %i users hold the records of the pages", async (records) => {
  expect(await verified({}, "", records)).toEqual({ bulk: "passed", "part-range": "passed" });
});

test.each<[string, Damage]>([
  ["two records in each other's place", { lines: ([a = "", b = "", ...more]) => [b, a, ...more] }],
  ["one record twice", { lines: ([a = "", , ...more]) => [a, a, ...more] }],
  ["a record changed", { lines: (all) => all.map((line, at) => (at === 13 ? line.replace('"XX"', '"DE"') : line)) }],
  ["a record missing", { lines: ([, ...more]) => more }],
  ["a last line without end", { lines: (all) => all.slice(0, -1) }],
  ["bytes behind the gzip", { part: (bytes) => Buffer.concat([bytes, Buffer.from("x")]) }],
  ["a gzip that is cut", { part: (bytes) => bytes.subarray(0, -9) }],
  ["an empty part", { part: () => gzipSync("") }],
  ["the digest of other bytes", { bulk: (bulk) => ({ ...bulk, sha256: "0".repeat(64) }) }],
  ["another count", { bulk: (bulk) => ({ ...bulk, count: 24, parts: bulk.parts.map((p) => ({ ...p, count: 24 })) }) }],
])("%s are found", async (_name, damage) => {
  expect(await verified(damage)).toEqual({ bulk: "differs", "part-range": "passed" });
});

test("with a sample of the pages, its pages are compared", async () => {
  const swap: Damage = { lines: ([a = "", b = "", ...more]) => [b, a, ...more] };
  expect(await verified(swap, "--sample 2")).toMatchObject({ bulk: "differs" });
  expect(await verified({}, "--sample 2")).toMatchObject({ bulk: "passed" });
});
