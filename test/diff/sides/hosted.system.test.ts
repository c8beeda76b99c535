/** How a diff reads a deployed listing with the client: real hosts, and hosts that hang, are wrong, down, or change meanwhile. */
import { readdirSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { UserError } from "../../../src/core/errors.js";
import { openHostSide } from "../../../src/diff/sides/remote.js";
import { publish, type Shape } from "../../serve/release.js";
import { scratch } from "../../support/files.js";
import { type Front, front } from "../../support/front.js";
import { freePort } from "../../support/ports.js";
import { releaseOf } from "../../support/served.js";

const read = (url: string, signal?: AbortSignal, onProgress: (done: { records: number }) => void = () => {}) =>
  openHostSide(url, scratch(), { onProgress, signal });

async function refusal(url: string): Promise<string> {
  const error = await read(url).catch((error: unknown) => error);
  expect(error).toBeInstanceOf(UserError);
  expect((error as UserError).message).not.toContain("\n");
  return (error as UserError).message.replaceAll(url, "{base}");
}

/** Files that a listing of another program does not have. */
const isProof = (url = "") => /\/(snapshot\.json|SHA256SUMS)$/.test(url);

/** A host without digests that serves something else for one page, or for every page. */
function at({ intercept }: Front, page: number | undefined, answer: (res: ServerResponse) => unknown): void {
  intercept((req, res) => {
    if (isProof(req.url)) return send("{}", 404)(res);
    return req.url?.endsWith(`page=${page ?? ""}`) || page === undefined ? answer(res) : false;
  });
}

const send =
  (text: string, status = 200, headers = {}) =>
  (res: ServerResponse) =>
    res.writeHead(status, { "Content-Type": "application/json", ...headers }).end(text);

const SHAPES: [string, Shape, string][] = [
  ["query links", {}, ""],
  ["a base URL with a path", {}, "/people/directory"],
  ["path links", { links: "path" }, "/v1"],
  ["compressed pages", { encodings: ["br", "gzip"] }, ""],
];

test.each(SHAPES)("%s: reads every page once, verified and unverified", async (_name, shape, path) => {
  const one = await front({ count: 21, pageSize: 2, ...shape }, path);
  const { facts, folder } = await read(`${one.baseUrl}/`);
  expect(facts).toMatchObject({ count: 21, pages: 11, id: releaseOf(one.host).snapshot.id, baseUrl: one.baseUrl });
  expect(readdirSync(join(folder, "api/users/pages"))).toHaveLength(11);
  at(one, 0, () => {});
  const plain = await read(one.baseUrl);
  expect(plain.facts).toMatchObject({ count: 21, pages: 11, id: undefined });
});

test.each([
  ["answers 404 to a query", send('{"detail":"Not found."}', 404)],
  ["has an index of its own", send("<!doctype html>", 200, { "Content-Type": "text/html" })],
])("reads an unverified host that %s by path", async (_name, answer) => {
  const one = await front({ links: "path" });
  one.intercept((req, res) => {
    if (isProof(req.url)) return send("{}", 404)(res);
    return req.url?.includes("?") ? answer(res) : false;
  });
  expect((await read(one.baseUrl)).facts).toMatchObject({ pages: 3, links: "path" });
});

test("reads a host that links to another base URL by its own", async () => {
  const { baseUrl } = await front({ baseUrl: "https://elsewhere.example" });
  expect((await read(baseUrl)).facts).toMatchObject({ baseUrl: "https://elsewhere.example", count: 5 });
});

describe("a snapshot that changes under the walk", () => {
  test.each([true, false])("starts again from the beginning; with digests: %s", async (isProved) => {
    const one = await front({ count: 12 });
    if (!isProved) at(one, 0, () => {});
    let isSwitched = false;
    one.intercept(async (req, res) => {
      if (!isProved && isProof(req.url)) return send("{}", 404)(res);
      if (!isSwitched && req.url?.endsWith("page=3")) {
        isSwitched = true;
        await publish(one.dist, { baseUrl: one.baseUrl, count: 5 });
        await one.host.reload();
      }
      one.host.handler(req, res);
    });
    expect((await read(one.baseUrl)).facts).toMatchObject({ count: 5, pages: 3 });
  });
});

test("a host whose page is cut short", async () => {
  const one = await front();
  at(one, 2, (res) => void res.writeHead(200, { "Content-Length": "1000" }).write("{", () => res.destroy()));
  expect(await refusal(one.baseUrl)).toMatch(/page=2 did not answer in full/);
});

test("hosts that are down, have no TLS, or do not exist", async () => {
  expect(await refusal(`http://127.0.0.1:${await freePort()}`)).toBe(
    "{base}/snapshot.json cannot be reached: the connection was refused; check the address, and that the host runs.",
  );
  expect(await refusal("http://no.such.name.invalid")).toMatch(/ cannot be reached: DNS does not /);
  const { baseUrl } = await front();
  expect(await refusal(baseUrl.replace("http:", "https:"))).toMatch(/it does not speak TLS/);
  expect(await refusal(`${baseUrl}/api/users/`)).toMatch(/Is .*\/api\/users the base URL\?$/);
});

test("an abort ends reading at once", async () => {
  const one = await front();
  const controller = new AbortController();
  at(one, 2, () => controller.abort(new Error("enough")));
  await expect(read(one.baseUrl, controller.signal)).rejects.toThrow("enough");
});
