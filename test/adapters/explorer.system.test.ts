/** The page for people, what it is made of, and the files of the look-up: each real host answers for them as `rollcall serve` does. */
import assert from "node:assert";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { adapterOf } from "../../src/adapters/adapters.js";
import { createServer } from "../../src/index.js";
import { sha256 } from "../../src/release/files.js";
import { CURRENT } from "../../src/release/layout.js";
import { header, type Request, send } from "../client/raw.js";
import { publish } from "../server/release.js";
import { EXPLORED, LOOKED_UP } from "../support/explored.js";
import { scratch } from "../support/files.js";
import { isMissing } from "../support/installed.js";
import { freePort } from "../support/ports.js";
import { differing, isSkipped } from "./same.js";
import { filesFor, SERVERS, type Server, serveWith, startServer } from "./servers.js";

const BASES = ["", "/people/directory"] as const;
const KINDS = [
  ["an explorer", EXPLORED],
  ["a look-up", LOOKED_UP],
  ["neither", {}],
] as const;

/** What lies near the new files and is none of them. */
const NEAR = [
  ...["lookup", "lookup/", "lookup/keys", "lookup/keys/", "lookup/index.json/", "lookup/index.txt", "lookup/../"],
  ...["lookup/keys/0.txt", "lookup/keys/01.txt", "lookup/keys/1.txt/", "lookup/keys/1.txt.gz", "lookup/keys/1"],
  ...["lookup/keys/3.txt", "lookup/keys/1.txtx", "lookup/keys/1xtxt", "lookup/keys/x.txt", "lookup/keys//1.txt"],
  ...["lookup/keys/1.json", "lookup/1.txt", "lookup/facets/1.txt", "lookup/words/13.txt", "lookup/keys/%2e%2e/"],
  ...["lookup/keys/..%2fwords/1.txt", "lookup/keys/1.txt%00", "lookup/keys/1.txt%20", "lookup/KEYS/1.txt"],
  ...["lookup/keys/1000000000.txt", "lookup/keys/+1.txt", "lookup/keys/-1.txt", "lookup/keys/1.0.txt"],
  ...["explorer", "explorer/", "explorer/app.js/", "explorer/app.js.gz", "explorer/app.mjs", "explorer/index.html"],
  ...["explorer/facets", "explorer/facets/", "explorer/facets/2.txt", "explorer/facets/0.txt", "explorer/keys/1.txt"],
  ...["index.html/", "index.html/x", "index.htm", "INDEX.HTML", "index.html%00", "index%2ehtmlx", "%2e", "%2e%2e/"],
  ...["/", "//", "/index.html", "//index.html", "constructor", "__proto__", "toString/"],
];

/** A .htaccess has tags of its own. */
const TAG = `"${sha256(EXPLORED["index.html"] ?? "")}"`;

function requests(base: string): Request[] {
  const get = (path: string, ...headers: [string, string][]) => ({ method: "GET", target: base + path, headers });
  const names = Object.keys(EXPLORED);
  return [
    ...[...names, "", "?page=2&x=//y", "index.html?page=2"].flatMap((name) => [
      get(`/${name}`),
      { ...get(`/${name}`), method: "HEAD" },
    ]),
    ...["", "index.html", "lookup/keys/1.txt"].flatMap((name) => [
      get(`/${name}`, ["Range", "bytes=1-2"]),
      get(`/${name}`, ["Accept-Encoding", "gzip, br"]),
      get(`/${name}`, ["If-None-Match", TAG]),
      get(`/${name}`, ["If-None-Match", "*"]),
      ...["OPTIONS", "POST", "DELETE"].map((method) => ({ method, target: `${base}/${name}`, body: "" })),
    ]),
    ...(base === "" ? [] : [get(""), get("?a=1&b=//c"), get("x"), { ...get(""), method: "HEAD" }]),
    ...NEAR.map((name) => get(`/${name}`)),
  ];
}

/**
 * Paths that a host, or what its requests pass through, brings into another form before any rules: without a dot, a step up or
 * a slash. What they lead to then is a file of the release or nothing.
 */
const TIDIED = /%2e|\.\.|%2f|%00|%20|\/\//i;

async function running(server: Server, base: string, others: Readonly<Record<string, string>>) {
  const [folder, port] = [scratch(), await freePort()];
  const baseUrl = `http://127.0.0.1:${port}${base}`;
  const encodings = server.name === "cloudflare" ? [] : (["br", "gzip"] as ("br" | "gzip")[]);
  const shape = { baseUrl, encodings, others: { "openapi.json": "{}", ...others } };
  const release = await publish(join(folder, "dist"), shape);
  const own = await createServer({ folder: join(folder, "dist") });
  onTestFinished(() => own.close());
  const mine = new URL((await own.listen({ port: 0, host: "127.0.0.1" })).url).origin;
  await serveWith(server, { release, folder, port });
  return { mine, theirs: new URL(baseUrl).origin };
}

describe.each(SERVERS)("$name", (server) => {
  test.skipIf(isMissing(...server.needs)).each(BASES.flatMap((base) => KINDS.map((kind) => [base, ...kind] as const)))(
    "below %j, with %s",
    { timeout: 120_000 },
    async (base, _kind, others) => {
      const { mine, theirs } = await running(server, base, others);
      const asked = requests(base)
        .filter((request) => !isSkipped(server.name, base, request))
        .filter(
          ({ headers }) => server.name !== "htaccess" || !JSON.stringify(headers ?? "").includes(TAG.slice(1, -1)),
        );
      const exact = asked.filter(({ target }) => !TIDIED.test(target.slice(base.length).replace(/\?.*/, "")));
      expect(await differing(server.name, [mine, theirs], exact)).toEqual([]);
      for (const request of asked) {
        if (exact.includes(request)) continue;
        const { status, body } = await send(new URL(theirs), request);
        const isFile = status === 200 && Object.values(others).includes(`${body}`);
        expect([request.target, status, isFile || [301, 308, 400, 404].includes(status)]).toEqual([
          request.target,
          status,
          true,
        ]);
      }
    },
  );
});

/** Hosts whose site's file is written once, and includes what each release holds. */
const STABLE = SERVERS.filter(({ adapter }) => adapterOf(adapter).included);

test.for(STABLE)(
  "$name takes up a release that gains a page for people, and one that loses it, by the site's file as it is",
  async (server, { skip }) => {
    skip(isMissing(...server.needs));
    const [dist, port, origin] = [scratch(), await freePort(), await freePort()];
    const baseUrl = `http://127.0.0.1:${port}/people`;
    const written = new Set<string>();
    for (const others of [{}, EXPLORED, LOOKED_UP, EXPLORED, {}]) {
      const release = await publish(dist, { baseUrl, others });
      const options = { folder: dist, origin: `http://127.0.0.1:${origin}`, ...server.options };
      for (const [path, text] of await filesFor(server.adapter, release, options)) {
        if (!path.startsWith(CURRENT) && existsSync(join(dist, path))) continue;
        mkdirSync(dirname(join(dist, path)), { recursive: true });
        writeFileSync(join(dist, path), text);
        if (!path.startsWith(CURRENT)) written.add(path);
      }
      const stop = await startServer(server, { folder: dist, release, port, origin });
      const statusOf = async (path: string) =>
        (await fetch(`${baseUrl}${path}`, { redirect: "manual", headers: { Connection: "close" } })).status;
      const [isBrowsed, isLookedUp] = ["index.html" in others, "lookup/index.json" in others];
      expect(
        await Promise.all(["", "/", "/index.html", "/lookup/words/12.txt", "/snapshot.json"].map(statusOf)),
      ).toEqual([...(isBrowsed ? [301, 200, 200] : [404, 404, 404]), ...[isLookedUp ? 200 : 404, 200]]);
      await stop();
    }
    expect([...written]).toHaveLength(1);
  },
);

const htaccess = SERVERS.find(({ name }) => name === "htaccess");
assert(htaccess);

test.skipIf(isMissing(...htaccess.needs)).each(KINDS)(
  "a .htaccess answers for its own folder without a slash only with an explorer: %s",
  async (_kind, others) => {
    const { theirs } = await running(htaccess, "/people/directory", others);
    const answer = await send(new URL(theirs), { method: "GET", target: "/people/directory?x=1" });
    const isBrowsed = "index.html" in others;
    expect(answer.status === 301).toBe(isBrowsed);
    // It may be absolute.
    if (isBrowsed) expect(header(answer, "location")?.replace(theirs, "")).toBe("/people/directory/?x=1");
  },
);

test("rollcall serve itself: the page has its own headers, and its folder a slash", async () => {
  const dist = scratch();
  await publish(dist, { baseUrl: "https://a.example/people", others: { "openapi.json": "{}", ...EXPLORED } });
  const own = await createServer({ folder: dist });
  onTestFinished(() => own.close());
  const origin = new URL((await own.listen({ port: 0, host: "127.0.0.1" })).url);
  const ask = (target: string) => send(origin, { method: "GET", target });
  for (const target of ["/people/", "/people/index.html", "/people/?q=1"]) {
    const answer = await ask(target);
    expect([answer.status, `${answer.body}`]).toEqual([200, EXPLORED["index.html"]]);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-cache",
      "content-security-policy": "frame-ancestors 'none'",
      "x-robots-tag": "noindex",
      "x-content-type-options": "nosniff",
      "access-control-allow-origin": "*",
      etag: TAG,
      link: '</people/openapi.json>; rel="service-desc"',
    });
  }
  const text = await ask("/people/lookup/words/12.txt");
  expect([text.status, header(text, "content-type")]).toEqual([200, "text/plain; charset=utf-8"]);
  expect([header(text, "cache-control"), header(text, "x-robots-tag")]).toEqual(["public, max-age=60", undefined]);
  const script = await ask("/people/explorer/app.js");
  expect(header(script, "content-type")).toBe("text/javascript; charset=utf-8");
  expect(header(script, "cache-control")).toBe("no-cache");
  const bare = await ask("/people?x=1");
  expect([bare.status, header(bare, "location")]).toEqual([301, "/people/?x=1"]);
});
