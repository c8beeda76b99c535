/** `rollcall verify` finds everything that is wrong with a signature, on disk and by URL. */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { openSigner } from "../../src/build/signer.js";
import { checkSignature, parsePublicKey } from "../../src/client/signature.js";
import { SIGNATURE, SNAPSHOT, SUMS } from "../../src/core/release/layout.js";
import { sha256 } from "../../src/core/release/plain-files.js";
import { build, createServer as createHost, verify } from "../../src/index.js";
import { edit, page, readSnapshot } from "../support/damage.js";
import { plainRows, writeUsers } from "../support/database.js";
import { scratch } from "../support/files.js";
import { type Key, writeKey } from "../support/minisign.js";

const SHARED = mkdtempSync(join(tmpdir(), "rollcall-signed-"));
afterAll(() => rmSync(SHARED, { recursive: true }));
const [ours, other] = [writeKey(SHARED, "ours"), writeKey(SHARED, "other")];
const db = writeUsers(join(SHARED, "users.sqlite"), plainRows(7));

interface Place {
  /** The folder that is changed. */
  folder: string;
  baseUrl: string;
  row(options?: { key?: string[]; maxAge?: string }): Promise<{ outcome: string; said: string }>;
}

/** A signed release on disk. */
async function onDisk(signKey: string | undefined, now?: Date): Promise<Place> {
  const [dist, baseUrl] = [scratch(), "https://directory.example.com"];
  const { folder } = await build({ db, dist, baseUrl, pageSize: 3, signKey }, now && { now: () => now });
  return { folder, baseUrl, row: (options) => rowOf({ what: folder, ...options }) };
}

/** The same release on a host that sends its files unmodified. */
async function byUrl(signKey: string | undefined, now?: Date): Promise<Place> {
  const [dist, folder] = [scratch(), join(scratch(), "changed")];
  const server = createServer(async ({ url = "" }, res) => {
    const path = url.slice(1).replace(/^api\/users\/\?format=api&page=(\d+)$/, "api/users/pages/$1.json");
    try {
      res.setHeader("Content-Type", path.endsWith(".json") ? "application/json" : "text/plain");
      res.end(readFileSync(join(folder, path)));
    } catch {
      res.writeHead(404).end();
    }
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await new Promise((resolve) => server.once("listening", resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const built = await build({ db, dist, baseUrl, pageSize: 3, signKey }, now && { now: () => now });
  cpSync(built.folder, folder, { recursive: true });
  return { folder, baseUrl, row: (options) => rowOf({ what: baseUrl, against: "none", ...options }) };
}

async function rowOf(options: NonNullable<Parameters<typeof verify>[0]>) {
  const verdict = await verify(options);
  const row = verdict.rows.find(({ name }) => name === "signature") ?? expect.fail("there is no such row");
  const said = row.findings.map(({ found, expected }) => `found ${found}; expected ${expected}`).join("\n");
  return { outcome: row.outcome, said: row.note ?? said };
}

async function resign(folder: string, change: { id?: string; baseUrl?: string; time?: Date }) {
  const { id, base_url: baseUrl } = readSnapshot(folder);
  const signer = await openSigner(ours.secret, undefined);
  const said = { id, baseUrl, time: new Date(), ...change };
  writeFileSync(join(folder, SIGNATURE), signer.sign(readFileSync(join(folder, SUMS)), said));
}

const idOf = (key: Key) => parsePublicKey(key.line).id;

describe.each([
  ["on disk", onDisk],
  ["by URL", byUrl],
])("%s", (_, make) => {
  const trust = () => ({ key: [ours.public] });

  test("a signature passes with its key, given as a file, a line or a text, among others", async () => {
    const { folder, row } = await make(ours.secret);
    const { public: file, line } = ours;
    const text = readFileSync(file, "utf8");
    for (const key of [[file], [line], [text], [other.line, line]])
      expect(await row({ key, maxAge: "1m" })).toEqual({ outcome: "passed", said: "" });
    const signature = readFileSync(join(folder, SIGNATURE), "utf8");
    const said = await checkSignature({
      sums: readFileSync(join(folder, SUMS)),
      signature,
      keys: [parsePublicKey(line)],
    });
    expect(said).toMatchObject({ id: readSnapshot(folder).id, baseUrl: readSnapshot(folder).base_url });
  });

  test("without a key, says whether there is a signature", async () => {
    expect(await (await make(ours.secret)).row()).toEqual({
      outcome: "skipped",
      said: "there is one; --key verifies it",
    });
    expect(await (await make(undefined)).row()).toEqual({ outcome: "skipped", said: "it has none" });
  });

  test("without a signature although a key is given", async () => {
    const { row } = await make(undefined);
    expect(await row(trust())).toEqual({
      outcome: "differs",
      said: `found no signature; expected one with the key ${idOf(ours)}`,
    });
  });

  test("another key", async () => {
    const { row } = await make(other.secret);
    const { outcome, said } = await row(trust());
    expect(outcome).toBe("differs");
    expect(said).toContain(`found one that is by the key ${idOf(other)}, but one of ${idOf(ours)} is required`);
  });

  const refused: [name: string, change: (place: Place) => unknown, said: string][] = [
    [
      "a page changed together with its line",
      ({ folder }) => {
        edit(folder, page(1), (text) => text.replace("Ada", "Eve").replace('"bio":""', '"bio":"x"'));
        const digest = sha256(readFileSync(join(folder, page(1))));
        edit(folder, SUMS, (text) => text.replace(/^[0-9a-f]{64}(?= {2}api\/users\/pages\/1\.json$)/m, digest));
      },
      "does not match SHA256SUMS",
    ],
    [
      "a release of another base URL",
      ({ folder }) => resign(folder, { baseUrl: "https://other.example.com" }),
      "is of a release of https://other.example.com, not of",
    ],
    ["another id", ({ folder }) => resign(folder, { id: "ba9876543210" }), "is of release ba9876543210, not of"],
    [
      "one of the future",
      ({ folder }) => resign(folder, { time: new Date("2100-01-01T00:00:00Z") }),
      "which is in the future",
    ],
  ];

  test.each(refused)("%s", async (_, change, said) => {
    const place = await make(ours.secret);
    await change(place);
    const row = await place.row(trust());
    expect(row).toMatchObject({ outcome: "differs", said: expect.stringContaining(said) });
  });

  test("an old signature", async () => {
    const threeDaysAgo = new Date();
    threeDaysAgo.setUTCDate(threeDaysAgo.getUTCDate() - 3);
    const { row } = await make(ours.secret, threeDaysAgo);
    expect((await row({ ...trust(), maxAge: "2d" })).said).toContain("which is older than allowed");
    expect(await row({ ...trust(), maxAge: "80h" })).toEqual({ outcome: "passed", said: "" });
    expect(await row(trust())).toEqual({ outcome: "passed", said: "" });
  });
});

test("by URL, refuses a valid release of another base URL", async () => {
  const dist = scratch();
  const { secret, line } = ours;
  await build({ db, dist, baseUrl: "https://directory.example.com", signKey: secret });
  const host = await createHost({ dist });
  onTestFinished(() => host.close());
  const { url } = await host.listen({ port: 0, host: "127.0.0.1" });
  const { said } = await rowOf({ what: url, against: "none", key: [line] });
  expect(said).toContain(`is of a release of https://directory.example.com, not of ${new URL(url).origin}`);
});

test("refuses an invalid public key, without repeating it", async () => {
  const { secret, line } = ours;
  const text = readFileSync(secret, "utf8");
  const base64 = text.split("\n")[1] ?? "";
  for (const key of [secret, text, base64, line.slice(0, -1), join(scratch(), "none.pub")]) {
    const refusal = await verify({ what: ".", key: [key] }).then(
      () => expect.fail("it was taken"),
      (error: Error) => error.message,
    );
    expect(refusal).toMatch(/public key/);
    expect(refusal).not.toContain(base64.slice(0, 60));
  }
});

test("refuses a maximum age without a key", async () => {
  await expect(verify({ what: ".", maxAge: "2d" })).rejects.toThrow("give --key (key), too");
  await expect(verify({ what: ".", maxAge: "2w", key: [ours.line] })).rejects.toThrow("90m, 36h or 2d");
});

test("an unlisted signature is not a finding, and only a regular file counts", async () => {
  const { folder } = await onDisk(ours.secret);
  const files = async () => (await verify({ what: folder })).rows.find(({ name }) => name === "files");
  expect(await files()).toMatchObject({ outcome: "passed" });
  rmSync(join(folder, SIGNATURE));
  expect(await files()).toMatchObject({ outcome: "passed" });
  expect(readFileSync(join(folder, SUMS), "utf8")).toContain(SNAPSHOT);
});
