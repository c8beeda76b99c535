/** Parts and steps on each real host: the bytes as they are in any form of request, and downloads that go on where they were cut. */
import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { describe, expect, onTestFinished, test } from "vitest";
import { createServer } from "../../src/index.js";
import { sha256 } from "../../src/release/files.js";
import { type Answer, header, send } from "../client/raw.js";
import { publish } from "../server/release.js";
import { scratch } from "../support/files.js";
import { isMissing } from "../support/installed.js";
import { freePort } from "../support/ports.js";
import { seeded } from "../support/random.js";
import { ALL_SERVERS, limitationsOf, type Server, serveWith } from "./servers.js";

const run = promisify(execFile);
const BASE = "/people/directory";
const random = seeded(14);
const noise = () => gzipSync(Buffer.from(Array.from({ length: 300_000 }, () => random.below(256))));
const PACKED = {
  "bulk/1.ndjson.gz": noise(),
  "bulk/2.ndjson.gz": noise(),
  "changes/0f3a91c2d4e5-77b0c2d91a3f.ndjson.gz": noise(),
  "changes/77b0c2d91a3f-0f3a91c2d4e5.ndjson.gz": noise(),
};
const STATE = { "bulk.json": '{"parts":[]}\n', "changes.json": '{"steps":[]}\n' };

interface Running {
  origin: URL;
  limitations: readonly string[];
}

const ROLLCALL: Pick<Server, "name" | "needs"> = { name: "rollcall", needs: [] };

async function serving(server: Pick<Server, "name" | "needs">): Promise<Running> {
  const [folder, port] = [scratch(), await freePort()];
  const others = { "openapi.json": "{}", ...STATE, ...PACKED };
  const baseUrl = `http://127.0.0.1:${port}${BASE}`;
  const release = await publish(join(folder, "dist"), { baseUrl, others });
  const host = ALL_SERVERS.find(({ name }) => name === server.name);
  if (host) {
    await serveWith(host, { release, folder, port });
    const limitations = Object.keys(limitationsOf(host));
    return { origin: new URL(baseUrl), limitations };
  }
  const own = await createServer({ folder: join(folder, "dist") });
  onTestFinished(() => own.close());
  return { origin: new URL((await own.listen({ port: 0, host: "127.0.0.1" })).url), limitations: [] };
}

const fields = (answer: Answer) => {
  const names = ["content-type", "content-length", "content-range", "content-encoding", "accept-ranges", "link"];
  return Object.fromEntries(names.map((name) => [name, header(answer, name)]));
};
const LINK = `<${BASE}/openapi.json>; rel="service-desc"`;

describe.each([ROLLCALL, ...ALL_SERVERS])("$name", (server) => {
  const unless = isMissing(...server.needs);
  test.skipIf(unless)("parts and steps are sent as they are, and resumed", { timeout: 120_000 }, async () => {
    const running = await serving(server);
    for (const [file, bytes] of Object.entries(PACKED)) await expectSentAndResumed(running, `${BASE}/${file}`, bytes);
    await expectNothingElse(running);
  });
});

async function expectSentAndResumed({ origin, limitations }: Running, path: string, bytes: Buffer): Promise<void> {
  const last = bytes.length - 1;
  const ask = (headers: Record<string, string> = {}, target = path, method = "GET") =>
    send(origin, { method, target, headers: Object.entries(headers) });
  // Some engines send bodies in chunks.
  const lengthOf = (count: number) => (limitations.includes("head-length") ? undefined : `${count}`);
  const whole = {
    ...{ "content-type": "application/gzip", "content-length": lengthOf(bytes.length), "content-range": undefined },
    ...{ "content-encoding": undefined, "accept-ranges": "bytes", link: LINK },
  };
  for (const coding of ["identity", "gzip", "gzip, br", "*"]) {
    const answer = await ask({ "Accept-Encoding": coding });
    expect([coding, answer.status, answer.body.equals(bytes), answer.trouble]).toEqual([coding, 200, true, []]);
    expect([coding, fields(answer)]).toEqual([coding, whole]);
    expect(header(answer, "cache-control")).toBe("public, max-age=60");
  }
  const plain = await ask();
  const tag = header(plain, "etag") ?? "";
  expect(tag).toMatch(/^"[^"]+"$/);
  if (!limitations.includes("etag")) expect(tag).toBe(`"${sha256(bytes)}"`);
  expect((await ask({ "If-None-Match": tag })).status).toBe(304);

  const head = await ask({}, path, "HEAD");
  const length = lengthOf(bytes.length) ?? header(head, "content-length");
  expect([head.status, head.body.length, fields(head)]).toEqual([200, 0, { ...whole, "content-length": length }]);

  for (const [range, start, end] of [
    ["bytes=5-9", 5, 9],
    [`bytes=${last - 10}-`, last - 10, last],
    ["bytes=1000-99999999", 1000, last],
    ["bytes=-7", last - 6, last],
  ] as const) {
    for (const more of [{}, { "If-Range": tag }, { "Accept-Encoding": "gzip, br" }]) {
      const answer = await ask({ Range: range, ...more });
      const said = [range, more, answer.status, answer.body.equals(bytes.subarray(start, end + 1))];
      expect(said).toEqual([range, more, 206, true]);
      expect(fields(answer)).toEqual({
        ...whole,
        "content-range": `bytes ${start}-${end}/${bytes.length}`,
        "content-length": lengthOf(end - start + 1),
        "accept-ranges": header(answer, "accept-ranges"),
      });
      expect(header(answer, "etag")).toBe(tag);
    }
  }
  for (const ignored of [{ Range: "bytes=5-9", "If-Range": '"other"' }, { Range: "items=1-2" }]) {
    const answer = await ask(ignored);
    expect([ignored, answer.status, answer.body.equals(bytes)]).toEqual([ignored, 200, true]);
  }
  const beyond = await ask({ Range: `bytes=${bytes.length}-` });
  expect(beyond.status).toBe(416);
  if (!limitations.includes("part-beyond")) {
    expect(`${beyond.body}`).toBe('{"detail":"Range not satisfiable."}');
    expect(header(beyond, "content-type")).toBe("application/json");
    expect(header(beyond, "cache-control")).toBe("no-store");
    expect(header(beyond, "link")).toBe(LINK);
    expect(header(beyond, "etag")).toBeUndefined();
  }

  const file = join(scratch(), "1.ndjson.gz");
  writeFileSync(file, bytes.subarray(0, 123_456));
  const { stderr } = await run("curl", ["-sS", "-f", "-C", "-", "-o", file, `${origin.origin}${path}`]);
  expect(stderr).toBe("");
  expect(sha256(readFileSync(file))).toBe(sha256(bytes));
}

/** What is near a part or a step is not there, and what says which there are is like any other file that says what is current. */
async function expectNothingElse({ origin, limitations }: Running): Promise<void> {
  const ask = (name: string, headers: Record<string, string> = {}) =>
    send(origin, { method: "GET", target: `${BASE}/${name}`, headers: Object.entries(headers) });
  const [first, second] = ["0f3a91c2d4e5", "77b0c2d91a3f"];
  for (const name of [
    ...["bulk/1.ndjson", "bulk/3.ndjson.gz", "bulk/01.ndjson.gz", "bulk/0.ndjson.gz", "bulk/", "bulk"],
    ...[`changes/${first}-${first}.ndjson.gz`, `changes/${first}-${second}.ndjson`, `changes/${first}.ndjson.gz`],
    ...[`changes/${first.toUpperCase()}-${second}.ndjson.gz`, `changes/0${first}-${second}.ndjson.gz`, "changes/"],
    ...["changes", "changes/1.ndjson.gz", `bulk/${first}-${second}.ndjson.gz`, `${first}-${second}.ndjson.gz`],
  ]) {
    const answer = await ask(name);
    expect([name, answer.status, `${answer.body}`]).toEqual([name, 404, '{"detail":"Not found."}']);
  }
  for (const [name, text] of Object.entries(STATE)) {
    const answer = await ask(name, { Range: "bytes=0-5", "Accept-Encoding": "gzip, br" });
    expect([name, answer.status]).toEqual([name, 200]);
    if (!limitations.includes("gzip-tag")) expect(`${answer.body}`).toBe(text);
    expect(header(answer, "content-type")).toBe("application/json");
    expect(header(answer, "cache-control")).toBe("no-cache");
    expect((await ask(name, { "If-None-Match": header(answer, "etag") ?? "" })).status).toBe(304);
  }
  const page = await ask("api/users/pages/1.json", { Range: "bytes=0-5" });
  expect([page.status, header(page, "content-type")]).toEqual([200, "application/json"]);
}
