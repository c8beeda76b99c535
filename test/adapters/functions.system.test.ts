/** CloudFront's function in a bare VM and Netlify's in its engine get the same requests. */
import assert from "node:assert";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import vm from "node:vm";
import { describe, expect, test } from "vitest";
import { FUNCTION_LIMIT } from "../../src/adapters/cloudfront/cloudfront.js";
import { openRelease, type Release } from "../../src/release/open.js";
import { publish } from "../server/release.js";
import { scratch } from "../support/files.js";
import { isMissing } from "../support/installed.js";
import { freePort } from "../support/ports.js";
import { ALL_SERVERS, filesFor, serveWith } from "./servers.js";

const BASE = "/people/directory";
const LISTING = `${BASE}/api/users/`;

async function released(): Promise<Release> {
  const others = { "avatar.svg": "<svg/>" };
  return openRelease(await publish(scratch(), { baseUrl: `https://example.com${BASE}`, others }));
}

/** Method, path and query -> status, and the file of the release or the detail of the error. */
const QUESTIONS: [method: string, path: string, query: string, status: number, what: string][] = [
  ["GET", LISTING, "", 200, "api/users/pages/1.json"],
  ["GET", LISTING, "page=2", 200, "api/users/pages/2.json"],
  ["HEAD", LISTING, "format=api&page=3", 200, "api/users/pages/3.json"],
  ["GET", LISTING, "page=", 200, "api/users/pages/1.json"],
  ["GET", LISTING, "p%61ge=%32", 200, "api/users/pages/2.json"],
  ["GET", LISTING, "page=4", 404, "Invalid page."],
  ["GET", LISTING, "page=0", 404, "Invalid page."],
  ["GET", LISTING, "page=01", 404, "Invalid page."],
  ["GET", LISTING, "page=+1", 404, "Invalid page."],
  ["GET", LISTING, "page=1&page=1", 404, "Invalid page."],
  ["GET", LISTING, "page=%zz", 404, "Invalid page."],
  ["GET", LISTING, "page=../../../snapshot", 404, "Invalid page."],
  ["GET", `${LISTING}pages/2.json`, "", 200, "api/users/pages/2.json"],
  ["GET", `${LISTING}pages/9.json`, "", 404, "Invalid page."],
  ["GET", `${BASE}/avatar.svg`, "", 200, "avatar.svg"],
  ["GET", `${BASE}/snapshot.json`, "", 200, "snapshot.json"],
  ["GET", `${BASE}/users.sha256`, "", 404, "Not found."],
  ["GET", `${BASE}/constructor`, "", 404, "Not found."],
  ["GET", "/api/users/", "", 404, "Not found."],
  ["GET", LISTING.slice(0, -1), "page=2", 301, `${LISTING}?page=2`],
  ["OPTIONS", LISTING, "page=2", 204, ""],
  ["POST", LISTING, "page=2", 405, "Method not allowed."],
  ["DELETE", "/", "", 405, "Method not allowed."],
];

const ALWAYS = { allow: "GET, HEAD, OPTIONS", vary: "Accept", "access-control-allow-origin": "*" };

interface Reply {
  statusCode?: number;
  uri?: string;
  headers: Record<string, { value: string }>;
  body?: { data: string };
}

describe("the CloudFront function", () => {
  test("is as small as it must be, also for the largest release", async () => {
    const text = (await filesFor("cloudfront", (await released()).folder)).get("rollcall-function.js") ?? "";
    expect(Buffer.byteLength(text)).toBeLessThan(FUNCTION_LIMIT - 2_000);
  });

  test.each(QUESTIONS)("%s %s?%s: %i", async (method, uri, query, status, what) => {
    const release = await released();
    const text = (await filesFor("cloudfront", release.folder)).get("rollcall-function.js") ?? "";
    const context = vm.createContext({});
    vm.runInContext(text, context);
    const request = {
      method,
      uri,
      querystring: toEvent(query),
      headers: { host: { value: "x" } },
      cookies: {},
    };
    const event = {
      version: "1.0",
      context: { eventType: "viewer-request" },
      viewer: { ip: "1.2.3.4" },
      request,
    };
    const reply: Reply = vm.runInContext(`JSON.parse(JSON.stringify(handler(${JSON.stringify(event)})))`, context);
    if (status === 200) {
      expect(reply).toMatchObject({ uri: `/${what}`, querystring: {}, method });
      return;
    }
    const headers = Object.fromEntries(Object.entries(reply.headers).map(([name, { value }]) => [name, value]));
    expect(reply.statusCode).toBe(status);
    expect(headers).toMatchObject({ ...ALWAYS, "snapshot-id": release.snapshot.id });
    if (status === 301) expect(headers["location"]).toBe(what);
    if (status >= 400) expect(JSON.parse(reply.body?.data ?? "")).toEqual({ detail: what });
    if (status >= 400) expect(headers["cache-control"]).toBe("no-store");
  });
});

/** The query as CloudFront passes it: names and values as sent, and repeated ones also as multiValue. */
function toEvent(query: string): Record<string, { value: string; multiValue?: { value: string }[] }> {
  const event: Record<string, { value: string; multiValue?: { value: string }[] }> = {};
  for (const part of query.split("&").filter(Boolean)) {
    const [name = "", value = ""] = part.split("=");
    const before = event[name];
    if (before) before.multiValue = [...(before.multiValue ?? [{ value: before.value }]), { value }];
    event[name] = before ? { ...before, value } : { value };
  }
  return event;
}

const netlify = ALL_SERVERS.find(({ name }) => name === "netlify");
assert(netlify);

test.skipIf(isMissing(...netlify.needs))("Netlify's edge function, in Deno", { timeout: 60_000 }, async () => {
  const [port, folder, release] = [await freePort(), scratch(), await released()];
  await serveWith(netlify, { release: release.folder, folder, port });
  for (const [method, path, query, status, what] of QUESTIONS) {
    const url = `http://127.0.0.1:${port}${path}${query && `?${query}`}`;
    const answer = await fetch(url, { method, redirect: "manual" });
    const body = await answer.text();
    const headers = Object.fromEntries(answer.headers);
    expect([url, answer.status]).toEqual([url, status]);
    expect(headers).toMatchObject({
      ...ALWAYS,
      "snapshot-id": release.snapshot.id,
      "x-content-type-options": "nosniff",
    });
    if (status === 301) expect(headers["location"]).toBe(what);
    if (status >= 400) expect(JSON.parse(body)).toEqual({ detail: what });
    if (status === 200 && method === "GET") expect(body).toBe(readFileSync(join(release.folder, what), "utf8"));
  }
});
