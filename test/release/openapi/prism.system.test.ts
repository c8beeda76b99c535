/** Prism, as a proxy that checks every answer by openapi.json, stands between a reader and `rollcall serve`. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { build } from "../../../src/build/build.js";
import { createListingServer } from "../../../src/server/server.js";
import { ask } from "../../server/running.js";
import { plainRows, writeUsers } from "../../support/database.js";
import { readTree, scratch } from "../../support/files.js";
import { engine, isMissing } from "../../support/installed.js";
import { freePort } from "../../support/ports.js";

const PRISM = engine("@stoplight/prism-cli/dist/index.js");

/** A release with all there is, served, and Prism before it; `edit` changes the description that Prism is given. */
async function proxied(edit: (text: string) => string = (text) => text) {
  const cwd = scratch();
  const db = writeUsers(join(cwd, "users.sqlite"), plainRows(23));
  const settings = { pageSize: 5, encodings: ["br", "gzip"], bulk: true, changes: 1, explorer: true } as const;
  const { folder } = await build({ db, out: join(cwd, "dist"), baseUrl: "https://listing.test", ...settings });
  const server = await createListingServer({ folder });
  onTestFinished(() => server.close());
  const { url } = await server.listen({ port: 0 });
  const files = readTree(folder);
  writeFileSync(join(cwd, "openapi.json"), edit(files.get("openapi.json") ?? ""));
  const port = await freePort();
  const args = ["proxy", "--errors", "--port", String(port), join(cwd, "openapi.json"), await withoutEmptyBodies(url)];
  await started(spawn(process.execPath, [PRISM, ...args], { stdio: ["ignore", "pipe", "pipe"] }));
  return { port, files, own: Number(new URL(url).port) };
}

/** Prism reads a body as its Content-Type says even where there is none, as after HEAD and with 304: there it is left out. */
async function withoutEmptyBodies(url: string): Promise<string> {
  const front = createServer((req, res) => {
    const { method, url: path, headers } = req;
    const onward = request(new URL(path ?? "", url), { method, headers }, (answer) => {
      const isEmpty = method === "HEAD" || answer.statusCode === 304;
      if (isEmpty) delete answer.headers["content-type"];
      res.writeHead(answer.statusCode ?? 0, answer.headers);
      answer.pipe(res);
    });
    onward.end();
  });
  front.listen(0, "127.0.0.1");
  await once(front, "listening");
  onTestFinished(() => {
    front.closeAllConnections();
    front.close();
  });
  return `http://127.0.0.1:${(front.address() as AddressInfo).port}`;
}

async function started(child: ChildProcess): Promise<void> {
  const ended = once(child, "exit");
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  let said = "";
  await new Promise<void>((resolve, reject) => {
    child.stdout?.on("data", (chunk) => {
      said += chunk;
      if (said.includes("Prism is listening")) resolve();
    });
    void ended.then(() => reject(new Error(`Prism ended: ${said}`)));
  });
}

describe.skipIf(isMissing(PRISM))("through Prism", () => {
  test("a whole walk is as it is described: pages, files, HEAD, OPTIONS, 304, 404 and 405", {
    timeout: 60_000,
  }, async () => {
    const { port, own, files } = await proxied();
    const get = async (path: string, options: Parameters<typeof ask>[2] = {}) => {
      const answer = await ask(port, path, options);
      expect(answer.headers["sl-violations"], `${options.method ?? "GET"} ${path}`).toBeUndefined();
      return answer;
    };
    let users = 0;
    for (let next: string | null = "/api/users/?format=api&page=1", page = 1; next; page++) {
      const { status, headers, body } = await get(next);
      expect(status).toBe(200);
      const read: { next: string | null; results: unknown[] } = JSON.parse(body.toString());
      users += read.results.length;
      expect(JSON.parse((await get(`/api/users/pages/${page}.json`)).body.toString())).toEqual(read);
      for (const coding of ["br", "gzip"]) {
        const coded = await get(next, { headers: { "Accept-Encoding": coding } });
        expect(JSON.parse(coded.body.toString())).toEqual(read);
      }
      expect(await get(next, { method: "HEAD" })).toMatchObject({ status: 200, headers: { etag: headers.etag } });
      expect((await get(next, { headers: { "If-None-Match": String(headers.etag) } })).status).toBe(304);
      expect((await get(next, { method: "OPTIONS" })).status).toBe(204);
      next = read.next?.replace("https://listing.test", "") ?? null;
    }
    expect(users).toBe(23);

    const others = [
      ...["bulk.json", "changes.json", "SHA256SUMS", "avatar.svg"],
      ...["lookup/index.json", "lookup/keys/1.txt", "lookup/words/1.txt"],
      ...["explorer/summary.json", "explorer/facets/1.txt", "index.html", ""],
    ];
    for (const path of ["snapshot.json", "contract.json", "openapi.json", ...others]) {
      const { status, headers, body } = await get(`/${path}`);
      expect([path, status]).toEqual([path, 200]);
      const text = body.toString();
      if (path.endsWith(".json")) expect(JSON.parse(text)).toEqual(JSON.parse(files.get(path) ?? ""));
      else expect(text).toBe(files.get(path || "index.html"));
      expect((await get(`/${path}`, { method: "HEAD" })).status).toBe(200);
      expect((await get(`/${path}`, { headers: { "If-None-Match": String(headers.etag) } })).status).toBe(304);
      expect((await get(`/${path}`, { method: "OPTIONS" })).status).toBe(204);
    }
    for (const path of ["/api/users/?format=api&page=6", "/api/users/pages/6.json"]) {
      for (const method of ["GET", "HEAD"]) expect((await get(path, { method })).status).toBe(404);
    }
    // Prism itself refuses what is not described: for it, too, there are only these three methods.
    for (const to of [port, own]) expect((await ask(to, "/api/users/", { method: "POST" })).status).toBe(405);
  });

  test("an answer that is not as it is described is found", { timeout: 60_000 }, async () => {
    const { port } = await proxied((text) => text.replace('"maxItems": 1000', '"maxItems": 4'));
    const { status, headers, body } = await ask(port, "/api/users/?format=api&page=1");
    expect(status).toBe(500);
    expect(String(headers["sl-violations"])).toContain("results");
    expect(body.toString()).toContain("VIOLATIONS");
  });

  test("a header that is not as it is described is found", { timeout: 60_000 }, async () => {
    const { port } = await proxied((text) => text.replace('"const": "no-cache"', '"const": "immutable"'));
    const { headers } = await ask(port, "/snapshot.json");
    expect(String(headers["sl-violations"])).toContain("cache-control");
  });
});
