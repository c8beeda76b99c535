/** Parts on each real host: the bytes as they are in any form of request, and downloads that go on where they were cut. */
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
const noise = Buffer.from(Array.from({ length: 300_000 }, () => random.below(256)));
const PART = gzipSync(noise);
const PATH = `${BASE}/bulk/1.ndjson.gz`;
const LAST = PART.length - 1;

interface Running {
  origin: URL;
  etag: string | undefined;
  limitations: readonly string[];
}

const ROLLCALL: Pick<Server, "name" | "needs"> = { name: "rollcall", needs: [] };

async function serving(server: Pick<Server, "name" | "needs">): Promise<Running> {
  const [folder, port] = [scratch(), await freePort()];
  const others = { "openapi.json": "{}", "bulk.json": "{}", "bulk/1.ndjson.gz": PART, "bulk/2.ndjson.gz": PART };
  const baseUrl = `http://127.0.0.1:${port}${BASE}`;
  const release = await publish(join(folder, "dist"), { baseUrl, others });
  const etag = `"${sha256(PART)}"`;
  const host = ALL_SERVERS.find(({ name }) => name === server.name);
  if (host) {
    await serveWith(host, { release, folder, port });
    const limitations = Object.keys(limitationsOf(host));
    return { origin: new URL(baseUrl), etag: limitations.includes("etag") ? undefined : etag, limitations };
  }
  const own = await createServer({ folder: join(folder, "dist") });
  onTestFinished(() => own.close());
  return { origin: new URL((await own.listen({ port: 0, host: "127.0.0.1" })).url), etag, limitations: [] };
}

const fields = (answer: Answer) => {
  const names = ["content-type", "content-length", "content-range", "content-encoding", "accept-ranges", "link"];
  return Object.fromEntries(names.map((name) => [name, header(answer, name)]));
};
const LINK = `<${BASE}/openapi.json>; rel="service-desc"`;

describe.each([ROLLCALL, ...ALL_SERVERS])("$name", (server) => {
  test.skipIf(isMissing(...server.needs))("parts are sent as they are, and resumed", { timeout: 120_000 }, async () => {
    const { origin, etag, limitations } = await serving(server);
    const ask = (headers: Record<string, string> = {}, target = PATH, method = "GET") =>
      send(origin, { method, target, headers: Object.entries(headers) });
    // Some engines send bodies in chunks.
    const lengthOf = (bytes: number) => (limitations.includes("head-length") ? undefined : `${bytes}`);
    const whole = {
      ...{ "content-type": "application/gzip", "content-length": lengthOf(PART.length), "content-range": undefined },
      ...{ "content-encoding": undefined, "accept-ranges": "bytes", link: LINK },
    };
    for (const coding of ["identity", "gzip", "gzip, br", "*"]) {
      const answer = await ask({ "Accept-Encoding": coding });
      expect([coding, answer.status, answer.body.equals(PART), answer.trouble]).toEqual([coding, 200, true, []]);
      expect([coding, fields(answer)]).toEqual([coding, whole]);
      expect(header(answer, "cache-control")).toBe("public, max-age=60");
    }
    const plain = await ask();
    const tag = header(plain, "etag") ?? "";
    expect(tag).toMatch(/^"[^"]+"$/);
    if (etag !== undefined) expect(tag).toBe(etag);
    expect((await ask({ "If-None-Match": tag })).status).toBe(304);

    const head = await ask({}, PATH, "HEAD");
    const length = lengthOf(PART.length) ?? header(head, "content-length");
    expect([head.status, head.body.length, fields(head)]).toEqual([200, 0, { ...whole, "content-length": length }]);

    for (const [range, start, end] of [
      ["bytes=5-9", 5, 9],
      [`bytes=${LAST - 10}-`, LAST - 10, LAST],
      ["bytes=1000-99999999", 1000, LAST],
      ["bytes=-7", LAST - 6, LAST],
    ] as const) {
      for (const more of [{}, { "If-Range": tag }, { "Accept-Encoding": "gzip, br" }]) {
        const answer = await ask({ Range: range, ...more });
        const said = [range, more, answer.status, answer.body.equals(PART.subarray(start, end + 1))];
        expect(said).toEqual([range, more, 206, true]);
        expect(fields(answer)).toEqual({
          ...whole,
          "content-range": `bytes ${start}-${end}/${PART.length}`,
          "content-length": lengthOf(end - start + 1),
          "accept-ranges": header(answer, "accept-ranges"),
        });
        expect(header(answer, "etag")).toBe(tag);
      }
    }
    for (const ignored of [{ Range: "bytes=5-9", "If-Range": '"other"' }, { Range: "items=1-2" }]) {
      const answer = await ask(ignored);
      expect([ignored, answer.status, answer.body.equals(PART)]).toEqual([ignored, 200, true]);
    }
    const beyond = await ask({ Range: `bytes=${PART.length}-` });
    expect(beyond.status).toBe(416);
    if (!limitations.includes("part-beyond")) {
      expect(`${beyond.body}`).toBe('{"detail":"Range not satisfiable."}');
      expect(header(beyond, "content-type")).toBe("application/json");
      expect(header(beyond, "cache-control")).toBe("no-store");
      expect(header(beyond, "link")).toBe(LINK);
      expect(header(beyond, "etag")).toBeUndefined();
    }

    for (const name of ["bulk/1.ndjson", "bulk/3.ndjson.gz", "bulk/01.ndjson.gz", "bulk/0.ndjson.gz", "bulk/", "bulk"])
      expect([name, (await ask({}, `${BASE}/${name}`)).status]).toEqual([name, 404]);
    const first = await ask({ Range: "bytes=0-5" }, `${BASE}/api/users/pages/1.json`);
    expect([first.status, header(first, "content-type")]).toEqual([200, "application/json"]);

    const file = join(scratch(), "1.ndjson.gz");
    writeFileSync(file, PART.subarray(0, 123_456));
    const { stderr } = await run("curl", ["-sS", "-f", "-C", "-", "-o", file, `${origin.origin}${PATH}`]);
    expect(stderr).toBe("");
    expect(sha256(readFileSync(file))).toBe(sha256(PART));
  });
});
