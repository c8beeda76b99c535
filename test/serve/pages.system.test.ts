/** Every page of a release through the server: the bytes of its file, and a chain of links without a gap. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { USER_PAGES } from "../support/pages.js";
import { releaseOf } from "../support/served.js";
import type { Shape } from "./release.js";
import { ask, serving } from "./running.js";

const decode = { br: brotliDecompressSync, gzip: gunzipSync, identity: (bytes: Buffer) => bytes } as const;

test.each<[string, Shape]>([
  ["by query", { count: 37, pageSize: 5 }],
  ["by path", { count: 37, pageSize: 5, links: "path" }],
  ["compressed, below a path", { count: 11, encodings: ["br", "gzip"], baseUrl: "https://example.com/a/b" }],
  ["empty", { count: 0 }],
  ["exactly full", { count: 4 }],
])("every page of a release is served as it is on disk: %s", async (_name, shape) => {
  const { server, port } = await serving(shape);
  const { folder, snapshot, sums } = releaseOf(server);
  for (const variant of sums.pages.variants) {
    let url: string | null = `${snapshot.base_url}/api/users/`;
    let previous: string | null = null;
    let users = 0;
    let page = 0;
    while (url) {
      page++;
      const { pathname, search }: URL = new URL(url);
      const answer = await ask(port, pathname + search, { headers: { "Accept-Encoding": variant } });
      const file = await readFile(join(folder, USER_PAGES.path(page, variant)));
      expect(answer.body.equals(file)).toBe(true);
      expect(answer.headers).toMatchObject({
        etag: `"${sums.pages.get(page, variant)}"`,
        vary: snapshot.encodings.length > 0 ? "Accept, Accept-Encoding" : "Accept",
        "content-length": `${file.length}`,
      });
      expect(answer.headers["content-encoding"] ?? "identity").toBe(variant);
      const envelope = JSON.parse(decode[variant](answer.body).toString());
      expect(envelope).toMatchObject({ count: snapshot.count, previous });
      if (snapshot.links === "path" && page > 1) expect(pathname).toBe(`/api/users/pages/${page}.json`);
      previous = page === 1 && snapshot.links === "query" ? `${url}?format=api&page=1` : url;
      if (page === 1 && snapshot.links === "path") previous = `${snapshot.base_url}/api/users/pages/1.json`;
      users += envelope.results.length;
      url = envelope.next;
    }
    expect({ page, users }).toEqual({ page: snapshot.pages, users: snapshot.count });
  }
});

describe("Accept-Encoding", () => {
  const cases: [header: string | undefined, both: string, gzipOnly: string][] = [
    [undefined, "identity", "identity"],
    ["", "identity", "identity"],
    ["br", "br", "identity"],
    ["gzip", "gzip", "gzip"],
    ["GZip", "gzip", "gzip"],
    ["gzip, deflate, br, zstd", "br", "gzip"],
    ["gzip;q=1.0, br;q=0.9", "gzip", "gzip"],
    ["br;q=0.5, gzip;q=0.5, identity;q=0.5", "br", "gzip"],
    ["gzip;q=0.5, identity", "identity", "identity"],
    ["br;q=0, gzip", "gzip", "gzip"],
    ["br ; q = 0, gzip", "gzip", "gzip"],
    ["br\t;\tQ=0.000, gzip", "gzip", "gzip"],
    ["br;q=0, gzip;q=0", "identity", "identity"],
    ["*", "br", "gzip"],
    ["*;q=0.5, identity", "identity", "identity"],
    ["*;q=0", "identity", "identity"],
    ["identity;q=0", "identity", "identity"],
    ["identity;q=0, *;q=0.1", "br", "gzip"],
    ["deflate", "identity", "identity"],
    ["gzip;q=x", "identity", "identity"],
    [',;=,"', "identity", "identity"],
    [`${"x,".repeat(5000)}gzip`, "gzip", "gzip"],
  ];
  test.each(cases)("%s", async (header, both, gzipOnly) => {
    const headers = header === undefined ? {} : { "Accept-Encoding": header };
    for (const [encodings, expected] of [
      [["br", "gzip"], both],
      [["gzip"], gzipOnly],
      [[], "identity"],
    ] as const) {
      const { port } = await serving({ encodings: [...encodings] });
      for (const repeated of [1, 2]) {
        const answer = await ask(port, "/api/users/", { headers });
        expect([repeated, answer.status]).toEqual([repeated, 200]);
        expect(answer.headers["content-encoding"] ?? "identity").toBe(expected);
        expect(answer.headers.vary).toBe(encodings.length > 0 ? "Accept, Accept-Encoding" : "Accept");
      }
    }
  });

  test("each variant has its own ETag, also in a 304", async () => {
    const { port } = await serving({ encodings: ["br", "gzip"] });
    const get = (coding: string, tag = "") =>
      ask(port, "/api/users/", {
        headers: { "Accept-Encoding": coding, ...(tag && { "If-None-Match": tag }) },
      });
    const [plain = "", br = "", gzip = ""] = await Promise.all(
      ["identity", "br", "gzip"].map(async (coding) => (await get(coding)).headers.etag),
    );
    expect(new Set([plain, br, gzip]).size).toBe(3);
    expect((await get("br", plain)).status).toBe(200);
    const answer = await get("br", br);
    expect({
      status: answer.status,
      coding: answer.headers["content-encoding"],
      tag: answer.headers.etag,
    }).toEqual({
      status: 304,
      coding: "br",
      tag: br,
    });
  });
});
