/** Checks of everything that a host has to do, against one server that serves one release and then another. */
import { chmodSync, readFileSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { createMemoryStore, type MemoryStore, openListing } from "../../src/client/index.js";
import type { Contract } from "../../src/core/contract/contract.js";
import { isStep } from "../../src/core/release/layout.js";
import { openRelease, type Release } from "../../src/core/release/open.js";
import { sha256 } from "../../src/core/release/plain-files.js";
import { openSiteRelease } from "../../src/core/release/site.js";
import { FILES_IN_RELEASE, hostOf } from "../../src/host/hosts.js";
import type { HostKind } from "../../src/host/kind.js";
import { type BuildOptions, build, createServer, verify } from "../../src/index.js";
import { plainRows, writeUsers } from "../support/database.js";
import { scratch } from "../support/files.js";
import { fetchReply, type Reply } from "../support/front.js";
import { writeKey } from "../support/minisign.js";
import { freePort } from "../support/ports.js";
import { changeShop, SHOP, writeShop } from "../support/shop.js";
import { stations, writeStations } from "../support/stations.js";
import { until } from "../support/until.js";
import { type Server, serveWith } from "./servers.js";

export interface Shape {
  /** The path of the base URL. */
  base: string;
  /** That of users unless given. */
  contract?: Contract;
  options?: Partial<BuildOptions>;
}

/** The parts of a release that requests are made from. The top of a site has no pages. */
interface Asked extends Pick<Release, "folder" | "sums" | "isSigned"> {
  snapshot: Pick<Release["snapshot"], "pages" | "encodings">;
}

interface Site extends Shape {
  server: Server;
  baseUrl: string;
  origin: URL;
  /** Rollcall's own host of the same releases. */
  own: URL;
  release: Asked;
  /** The folders of all parts of a site, to any of which a path that is tidied may lead. */
  folders?: readonly string[];
}

/** Netlify's engine takes a moment for each request, so that it is asked less; `rollcall verify` asks it for parts. */
const isSlow = ({ name }: Server) => name === "netlify";
const pageSizeFor = (server: Server) => (isSlow(server) ? 150 : 37);
const COUNT = 300;
const USERS = plainRows(COUNT);
/** In published order. */
const IDS = USERS.map(({ id }) => id);

/** Two sources: page 1 differs in as many bytes of one record, one record goes, and one comes. */
function writeSource(contract: Contract | undefined, file: string, number: 1 | 2): string {
  if (contract) {
    const rows = stations(COUNT + 1).map(({ row }) => row);
    const first = { ...rows[0], readings: number };
    return writeStations(file, [first, ...rows.slice(1, -2), rows.at(-number) ?? first]);
  }
  const rows = USERS.map((row) => {
    if (row["id"] === IDS[0]) return { ...row, bio: `release ${number}` };
    return row["id"] === IDS.at(-1) && number === 2 ? { ...row, id: "ffffffff-ffff-4fff-8fff-ffffffffffff" } : row;
  });
  return writeUsers(file, rows);
}

/** What a host can do: Rollcall's own server can do everything. */
function capabilitiesOf({ adapter }: Server): Pick<HostKind, "compression" | "unmetChecks"> {
  return adapter === undefined ? { compression: "files" } : hostOf(adapter);
}

const adapt = ({ adapter }: Server) => (adapter === undefined ? [] : [adapter]);

/** Checks a server with two releases of a shape, the second of which takes the place of the first while it runs. */
export async function checkHost(server: Server, shape: Shape): Promise<void> {
  const { compression } = capabilitiesOf(server);
  const [folder, dist, port] = [scratch(), scratch(), await freePort()];
  for (const path of [folder, dist]) chmodSync(path, 0o755);
  const baseUrl = `http://127.0.0.1:${port}${shape.base}`;
  const key = writeKey(folder, "ours");
  const publish = async (number: 1 | 2) => {
    await build({
      db: writeSource(shape.contract, join(folder, `${number}.sqlite`), number),
      dist,
      baseUrl,
      pageSize: pageSizeFor(server),
      changes: 3,
      bulk: true,
      csv: true,
      parquet: true,
      dataPackage: true,
      feed: true,
      explorer: true,
      lookup: true,
      signKey: key.secret,
      links: server.links ?? "query",
      adapt: server.built ? adapt(server) : [],
      ...(shape.contract && { contract: shape.contract.file }),
      ...shape.options,
      compress: compression === "files" ? (shape.options?.compress ?? ["br", "gzip"]) : [],
    });
    const release = await openRelease(realpathSync(join(dist, "current")));
    const page = join(release.folder, release.sums.paths.path(1));
    return { release, page: { size: statSync(page).size, text: readFileSync(page, "utf8") } };
  };
  const copy = createMemoryStore<unknown>();

  const old = await publish(1);
  const stop = await serveWith(server, { release: old.release.folder, folder, port });
  const whole = { put: COUNT, removed: 0, count: COUNT };
  expect(await sync(baseUrl, copy)).toMatchObject(isEverything(shape) ? { via: "bulk", ...whole } : whole);
  const url = `${baseUrl}/${old.release.sums.paths.path(1)}`;
  const tag = header(await ask(url), "etag");

  const { release, page } = await publish(2);
  if (!server.follows) {
    await stop();
    await serveWith(server, { release: release.folder, folder: scratch(), port });
  }
  // Rollcall's own server looks for another release from time to time; the other hosts follow the link.
  if (server.adapter === undefined)
    await until(async () => header(await ask(url), "snapshot-id") === release.snapshot.id);
  expect(page.size).toBe(old.page.size);
  await expectChanged(server, url, tag, page.text);
  const step = { via: "changes", put: 2, removed: 1, count: COUNT, asked: 4 };
  expect(await sync(baseUrl, copy)).toMatchObject(isEverything(shape) ? step : { count: COUNT });

  const own = await createServer({ dist });
  onTestFinished(() => own.close());
  const { url: ownUrl } = await own.listen({ port: 0, host: "127.0.0.1" });
  const site = { ...shape, server, baseUrl, release, own: new URL(ownUrl), origin: new URL(baseUrl) };
  await expectVerified(site, key.line);
  if (server.links === "path") return;
  await expectSame(site);
}

/** Checks a server with a site of several listings: each, and the files at the top, are answered as `rollcall serve` does. */
export async function checkSite(server: Server, base: string): Promise<void> {
  const { compression } = capabilitiesOf(server);
  const [folder, dist, port] = [scratch(), scratch(), await freePort()];
  for (const path of [folder, dist]) chmodSync(path, 0o755);
  const baseUrl = `http://127.0.0.1:${port}${base}`;
  const key = writeKey(folder, "ours");
  const db = writeShop(folder);
  const publish = async () => {
    const { folder } = await build({
      db,
      dist,
      baseUrl,
      listings: { ...SHOP, "v1/clients": { ...SHOP.customers, table: "customers" } },
      explorer: true,
      signKey: key.secret,
      adapt: server.built ? adapt(server) : [],
      compress: compression === "files" ? ["br", "gzip"] : [],
    });
    return openSiteRelease(folder);
  };
  await publish();
  changeShop(db, "UPDATE orders SET total = total + 1; INSERT INTO products VALUES (11, 'New', 1)");
  const site = await publish();
  await serveWith(server, { release: site.folder, folder, port });
  const own = await createServer({ dist });
  onTestFinished(() => own.close());
  const { url: ownUrl } = await own.listen({ port: 0, host: "127.0.0.1" });
  if (!site.top) throw new Error("The site has no top.");
  const { sums, isSigned } = site.top;
  const folders = [site.folder, ...site.listings.map(({ release }) => release.folder)];
  const hosts = { server, own: new URL(ownUrl), origin: new URL(baseUrl), folders };
  for (const { name, release } of site.listings)
    await expectSame({ ...hosts, base: `${base}/${name}`, baseUrl: `${baseUrl}/${name}`, release });
  await expectSame({ ...hosts, base, baseUrl, release: { folder: site.folder, sums, isSigned, snapshot: NO_PAGES } });
  const orders = site.listings.find(({ name }) => name === "orders")?.release.folder;
  const { rows } = await verify({ what: `${baseUrl}/orders`, against: orders, adapt: adapt(server) });
  expect(rows.filter(({ outcome }) => outcome === "differs")).toEqual([]);
  const whole = await verify({ what: baseUrl, against: site.folder, adapt: adapt(server), key: [key.line] });
  expect(whole.rows.filter(({ outcome }) => outcome === "differs")).toEqual([]);
  expect(whole.passed).toBe(true);
}

const NO_PAGES = { pages: 0, encodings: [] };

function isEverything({ options }: Shape): boolean {
  return options === undefined;
}

async function sync(baseUrl: string, store: MemoryStore<unknown>) {
  let asked = 0;
  const counted: typeof fetch = (input, init) => {
    asked++;
    const headers = new Headers(init?.headers);
    // A connection that is kept may go on with a worker of the release before.
    headers.set("Connection", "close");
    return fetch(input, { ...init, headers });
  };
  const { via, put, removed, count } = await openListing<unknown>(baseUrl, { fetch: counted }).sync(store);
  return { via, put, removed, count, asked };
}

interface Request {
  method: string;
  target: string;
  headers?: [string, string][];
  /** The name of the host, if it is not that of the origin. */
  host?: string;
}

/** Sends a request with its target as given. @returns the response, with names of headers in lower case. */
async function send(origin: URL, { method, target, headers = [], host = origin.host }: Request): Promise<Reply> {
  const sent = { ...Object.fromEntries(headers), host };
  const reply = await fetchReply(origin.port, { method, url: target, headers: sent });
  return { ...reply, headers: reply.headers.map(([name, value]) => [name.toLowerCase(), value]) };
}

const header = ({ headers }: Reply, name: string) => headers.find(([key]) => key === name)?.[1];

function ask(url: string, ...headers: [string, string][]): Promise<Reply> {
  return send(new URL(url), { method: "GET", target: new URL(url).pathname, headers });
}

/** Other bytes of one size are no 304, whatever a reader has, and have a tag of their own. */
async function expectChanged(server: Server, url: string, tag: string | undefined, text: string): Promise<void> {
  const since = "Fri, 01 Jan 2100 00:00:00 GMT";
  const answer = await ask(url, ["If-None-Match", tag ?? ""], ["If-Modified-Since", since]);
  expect([answer.status, sha256(answer.body)]).toEqual([200, sha256(text)]);
  const now = header(answer, "etag") ?? "";
  expect(now).not.toBe(tag);
  // Its tags and conditions are its own.
  if (server.links === "path") return;
  expect((await ask(url, ["If-None-Match", now])).status).toBe(304);
  expect(header(answer, "last-modified")).toBeUndefined();
  if (!hasOwnTags(server)) expect(now).toBe(`"${sha256(text)}"`);
}

/** Whether a server makes tags of time and size. */
function hasOwnTags(server: Server): boolean {
  return "etag-digest" in (capabilitiesOf(server).unmetChecks ?? {});
}

/** Every question of `rollcall verify` is asked, and holds but for what the host is known not to do. */
async function expectVerified(site: Site, key: string): Promise<void> {
  const { server, baseUrl, release } = site;
  const { rows } = await verify({
    ...{ what: baseUrl, against: release.folder, adapt: adapt(server) },
    ...(release.isSigned && { key: [key], maxAge: "1d" }),
  });
  const named = (outcome: string) => rows.filter((row) => row.outcome === outcome).map(({ name }) => name);
  expect(rows.length).toBeGreaterThan(60);
  expect(rows.filter(({ outcome }) => outcome === "differs")).toEqual([]);
  if (!isEverything(site)) return;
  // A .htaccess of a whole host is asked for everything, so that it needs fewer exceptions.
  if (site.base !== "")
    expect(named("allowed").sort()).toEqual(Object.keys(capabilitiesOf(server).unmetChecks ?? {}).sort());
  // At the root there is no folder without a slash.
  const hasBare = site.base !== "" || release.sums.paths.listing !== "/";
  const bare = hasBare ? [] : ["missing-slash", "missing-slash-query", "missing-slash-host"];
  const unasked = [...bare, ...(site.base === "" ? ["explorer-slash"] : [])];
  // Another host may have another site for other names.
  const isAsked = (name: string) => name !== "missing-slash-host" || isOfAnyName(server);
  if (release.snapshot.encodings.length > 1) expect(named("skipped").filter(isAsked)).toEqual(unasked);
  expect(named("passed")).toEqual(expect.arrayContaining(["signature", "files", "same-bytes"]));
}

/** The headers that the contract names. */
const NAMED = [
  ...["allow", "content-type", "vary", "cache-control", "etag", "snapshot-id", "content-encoding"],
  ...["access-control-allow-origin", "access-control-allow-methods", "access-control-allow-headers"],
  ...["access-control-max-age", "access-control-expose-headers", "x-content-type-options", "location", "link"],
  ...["content-security-policy", "x-robots-tag", "content-language", "content-range"],
];

/** Names of no file, most of them near one. */
const NOTHING = [
  ...["nothing", "constructor", "__proto__", "toString/", "records.sha256", "avatar.svg.gz", ".git/config"],
  ...["lookup", "lookup/", "lookup/keys", "lookup/keys/", "lookup/index.json/", "lookup/index.txt", "lookup/../"],
  ...["lookup/keys/0.txt", "lookup/keys/01.txt", "lookup/keys/1.txt/", "lookup/keys/1.txt.gz", "lookup/keys/1"],
  ...["lookup/keys/99.txt", "lookup/keys/1.txtx", "lookup/keys/1xtxt", "lookup/keys/x.txt", "lookup/keys//1.txt"],
  ...["lookup/keys/1.json", "lookup/1.txt", "lookup/facets/1.txt", "lookup/words/999.txt", "lookup/keys/%2e%2e/"],
  ...["lookup/keys/..%2fwords/1.txt", "lookup/keys/1.txt%00", "lookup/keys/1.txt%20", "lookup/KEYS/1.txt"],
  ...["lookup/keys/1000000000.txt", "lookup/keys/+1.txt", "lookup/keys/-1.txt", "lookup/keys/1.0.txt"],
  ...["explorer", "explorer/", "explorer/app.js/", "explorer/app.js.gz", "explorer/app.mjs", "explorer/index.html"],
  ...["explorer/facets", "explorer/facets/", "explorer/facets/99.txt", "explorer/facets/0.txt", "explorer/keys/1.txt"],
  ...["index.html/", "index.html/x", "index.htm", "INDEX.HTML", "index.html%00", "index%2ehtmlx", "%2e", "%2e%2e/"],
  ...["/", "//", "/index.html", "//index.html", "bulk", "bulk/", "bulk/1.ndjson", "bulk/99.ndjson.gz"],
  ...["bulk/01.ndjson.gz", "bulk/0.ndjson.gz", "changes", "changes/", "changes/1.ndjson.gz"],
];

/** Paths that an engine may bring into another form before any rules: what they lead to then is a file of the release or nothing. */
const TIDIED = /%2e|\/\.{1,2}(?:\/|$)|%2f|%00|%20|\/\//i;

/** The requests whose answers have to be those of `rollcall serve`. */
function requestsOf({ base, release, server }: Site): Request[] {
  const { listing: path } = release.sums.paths;
  const { pages } = release.snapshot;
  const listing = base + path;
  const get = (target: string, ...headers: [string, string][]) => ({ method: "GET", target, headers });
  const file = (name: string, ...headers: [string, string][]) => get(`${base}/${name}`, ...headers);
  const both = (target: string) => [get(target), { ...get(target), method: "HEAD" }];
  const queries = ["page=0", "page=01", "page=1.0", "page=abc", "Page=2", "page", "page=", `page=${pages + 1}`];
  // A host keeps its own files to itself.
  const others = [...release.sums.others.keys()].filter((name) => !FILES_IN_RELEASE.has(name));
  const step = others.find(isStep) ?? "changes/0f3a91c2d4e5-77b0c2d91a3f.ndjson.gz";
  const near = [
    step.replace(/-.*/, ".ndjson.gz"),
    step.toUpperCase(),
    step.slice(8),
    step.replace("/", "/0"),
    `${step}x`,
  ];
  const coded = ["gzip", "br", "gzip, br", "identity", "br;q=0.5, gzip", "gzip, br;q=0.5", "br;q=0, gzip;q=0"].map(
    (coding): [string, string] => ["Accept-Encoding", coding],
  );
  const tag = `"${release.sums.others.get("index.html")}"`;
  const pageTag = `"${release.sums.pages.get(1, "identity")}"`;
  const numbers = ["0", "x", `${pages + 1}`].map((number) => `pages/${number}.json`);
  // Other hosts redirect to the base URL whether there is an explorer or not.
  const bare = base === "" || !others.includes("index.html") ? [] : [base];
  const all: Request[] = [
    ...Array.from({ length: pages }, (_, at) => at + 1).flatMap((page) => [
      ...both(`${listing}?format=api&page=${page}`),
      get(`${listing}pages/${page}.json`),
    ]),
    ...coded.flatMap((accept) => [
      get(`${listing}?page=3`, accept),
      file("bulk/1.ndjson.gz", accept),
      file("records.csv.gz", accept),
      file("records.parquet", accept),
    ]),
    ...queries.map((query) => get(`${listing}?${query}`)),
    ...[...numbers, "nothing", "pages/", "pages/1.json.gz"].map((name) => get(listing + name)),
    ...both(`${listing.slice(0, -1)}?page=2&x=//y`),
    get(`${path}?page=1`),
    // A dot of the path stands only for itself.
    ...(path.includes(".") ? [get(`${listing.replaceAll(".", "x")}?page=1`)] : []),
    ...[
      ...others,
      "snapshot.json",
      "datapackage.json",
      "SHA256SUMS",
      "SHA256SUMS.minisig",
      "",
      "?page=2&x=//y",
      "index.html?page=2",
    ].flatMap((name) => both(`${base}/${name}`)),
    ...["", "index.html", "lookup/keys/1.txt"].flatMap((name) => [
      ...[file(name, ["Range", "bytes=1-2"]), file(name, ["Accept-Encoding", "gzip, br"])],
      ...[file(name, ["If-None-Match", tag]), file(name, ["If-None-Match", "*"])],
    ]),
    // A download goes on where it was cut, and is whole where a host cannot tell what is asked for.
    ...["bytes=5-9", "bytes=-7", "bytes=100-99999999", "items=1-2"].flatMap((range) => [
      file("bulk/1.ndjson.gz", ["Range", range]),
      file("records.csv.gz", ["Range", range]),
      file("records.parquet", ["Range", range]),
      file("bulk/1.ndjson.gz", ["Range", range], ["If-Range", '"other"']),
    ]),
    ...["bulk.json", "changes.json"].map((name) => file(name, ["Range", "bytes=0-5"])),
    ...[path.slice(1), "", "index.html", "lookup/keys/1.txt"].flatMap((name) =>
      ["OPTIONS", "POST", "PUT", "DELETE", "PATCH"].map((method) => ({ method, target: `${base}/${name}` })),
    ),
    // A condition that the contract leaves out.
    ...[pageTag, "*"].flatMap((value) =>
      both(`${listing}?page=1`).map((request) => ({
        ...request,
        headers: [["If-None-Match", value]] as [string, string][],
      })),
    ),
    // Whatever name a client gives the host, and a cache may keep, a redirect leads to a path alone.
    ...[listing.slice(0, -1), ...bare].map((target) => ({ ...get(target), host: "evil.example" })),
    ...bare.flatMap((target) => [...both(target), get(`${target}?a=1&b=//c`)]),
    ...(base === "" ? [] : [get(`${base}x`)]),
    ...[...NOTHING, ...near, path.split("/")[1], `${path.split("/")[1]}/`].map((name) => file(name ?? "")),
  ];
  return all.filter(({ target, headers = [], host }) => {
    const said = JSON.stringify(headers);
    // At the root, a listing with the path / has no path without its slash.
    if (!target.startsWith("/")) return false;
    // Another host may have another site for other names.
    if (host !== undefined && !isOfAnyName(server)) return false;
    // A .htaccess does not answer for what lies outside its folder.
    if (server.name === "htaccess" && (!target.startsWith(`${base}/`) || target.endsWith("1.json.gz"))) return false;
    if (hasOwnTags(server) && [tag, pageTag].some((one) => said.includes(one.slice(1, -1)))) return false;
    // They compress by themselves.
    return capabilitiesOf(server).compression === "files" || !said.includes("Accept-Encoding");
  });
}

/** Whether a host may be asked by any name. */
function isOfAnyName({ adapter }: Server): boolean {
  return adapter === undefined || ["nginx", "apache", "htaccess"].includes(adapter);
}

/** The parts that the contract names. Redirects may be absolute or not, and have any body or none. */
function essence(answer: Reply, origin: string, without: readonly string[]) {
  const headers = answer.headers
    .filter(([name]) => NAMED.includes(name) && !without.includes(name))
    .filter(([name]) => name !== "content-type" || answer.status !== 301)
    .map(([name, value]) => `${name}: ${value.replace(/\s*,\s*/g, ", ").replace(origin, "")}`)
    // The type of an answer that has no body by its status does not matter.
    .filter((line) => ![204, 304].includes(answer.status) || !line.startsWith("content-type"));
  const body = answer.status === 301 ? "" : `${answer.body.toString("latin1", 0, 80)} ${sha256(answer.body)}`;
  return { status: answer.status, headers: headers.sort(), body };
}

/** Each answer has the status, the headers and the bytes that `rollcall serve` gives. */
async function expectSame(site: Site): Promise<void> {
  const { server, base, own, origin, release } = site;
  const { folders = [release.folder] } = site;
  const known = folders.map((folder) => readFileSync(join(folder, "SHA256SUMS"), "utf8")).join("");
  const found: unknown[] = [];
  const some = requestsOf(site).filter((_, at) => !isSlow(server) || at % 8 === 0);
  for (const request of some) {
    const { target } = request;
    if (TIDIED.test(target.slice(base.length).replace(/\?.*/, ""))) {
      const { status, body } = await send(origin, request);
      const isFine = [301, 308, 400, 404].includes(status) || (status === 200 && known.includes(sha256(body)));
      if (!isFine) found.push({ request, status, body: `${body}` });
      continue;
    }
    const without = hasOwnTags(server) ? ["etag", "snapshot-id", "access-control-expose-headers"] : [];
    // The tags of SHA256SUMS and its signature cannot be their digests where it lists a configuration that has all tags.
    if (/\/SHA256SUMS(\.minisig)?$/.test(target)) without.push("etag");
    const [mine, other] = await Promise.all(
      [own, origin].map(async (host) => essence(await send(host, request), host.origin, without)),
    );
    if (JSON.stringify(mine) !== JSON.stringify(other)) found.push({ request, mine, other });
  }
  expect(found).toEqual([]);
}
