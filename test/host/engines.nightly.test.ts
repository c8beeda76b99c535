/** Vercel's file in its router's compiler. */
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { USERS_CONTRACT } from "../../src/core/contract/users.js";
import { build } from "../../src/index.js";
import { publish, type Shape } from "../serve/release.js";
import { EXPLORED } from "../support/explored.js";
import { scratch } from "../support/files.js";
import { engine, isMissing, loadEngine } from "../support/installed.js";
import { SHOP, writeShop } from "../support/shop.js";
import { stationsAt } from "../support/stations.js";
import { filesFor } from "./servers.js";

const VERCEL = "@vercel/routing-utils";

async function fileFor(name: string, path: string, shape: Shape): Promise<string> {
  const files = await filesFor(name, await publish(scratch(), shape));
  return files.get(path) ?? "";
}

interface VercelRouting {
  getTransformedRoutes(config: unknown): { routes: object[] | null; error: unknown };
}

/** A rewrite of vercel.json as the compiler returns it. */
interface Rewrite {
  src: string;
  dest: string;
  has?: { key: string; value?: string }[];
  missing?: { key: string }[];
}

function isRewrite(route: object): route is Rewrite {
  return "src" in route && "dest" in route && !("status" in route);
}

const STATIONS = stationsAt("/~v1.0-b/");
const VIEWS = [
  "views.json",
  "views/tag.json",
  "views/-height.sha256",
  "views/-height/pages/3.json",
  "views/a/b/pages/3.json",
];
const STEP = "changes/0f3a91c2d4e5-77b0c2d91a3f.ndjson.gz";

describe.skipIf(isMissing(engine(VERCEL))).each([
  ["", USERS_CONTRACT],
  ["/people/directory", USERS_CONTRACT],
  ["", STATIONS],
  ["/people/directory", STATIONS],
] as const)("vercel.json below %j (%#)", (base, contract) => {
  const { path: listing } = contract.listing;

  test("leads to the file that is asked for", async () => {
    const shape = { baseUrl: `https://example.com${base}`, contract, others: EXPLORED };
    const { getTransformedRoutes } = loadEngine<VercelRouting>(VERCEL);
    const config = JSON.parse(await fileFor("vercel", "published/vercel.json", shape));
    const { routes, error } = getTransformedRoutes(config);
    expect(error).toBeNull();
    // At the root, a file has the path of its own URL, and the folder's is index.html.
    const own = (name: string) => (base === "" ? undefined : `/${name}`);
    const paths: [path: string, query: string, file: string | undefined][] = [
      [listing, "page=2", `${listing}pages/2.json`],
      [listing, "format=api&page=123", `${listing}pages/123.json`],
      [listing, "", `${listing}pages/1.json`],
      [listing, "page=", `${listing}pages/1.json`],
      [listing, "page=01", undefined],
      [listing, "page=../x", undefined],
      [listing.replace(".", "x"), "page=1", listing.includes(".") ? undefined : `${listing}pages/1.json`],
      ["/other/", "page=1", undefined],
      ["/views/tag/de/", "page=2", "/views/tag/de/pages/2.json"],
      ["/views/tag/de/", "format=api&page=123", "/views/tag/de/pages/123.json"],
      ["/views/tag/a~20b/", "", "/views/tag/a~20b/pages/1.json"],
      ["/views/tag/v1.2/", "page=", "/views/tag/v1.2/pages/1.json"],
      ["/views/-height/", "page=24", "/views/-height/pages/24.json"],
      ["/views/-height/", "", "/views/-height/pages/1.json"],
      ["/views/tag/de/", "page=01", undefined],
      ["/views/tag/.de/", "page=1", undefined],
      ["/views/tag/de/x/", "page=1", undefined],
      ["/views/", "page=1", undefined],
      ["/", "", own("index.html")],
      ...["lookup/keys/17.txt", "explorer/facets/1.txt", "explorer/app.js", "bulk/3.ndjson.gz", STEP, ...VIEWS].map(
        (name): [string, string, string | undefined] => [`/${name}`, "", own(name)],
      ),
      ...[
        ...["lookup/keys/0.txt", "lookup/keys/", "lookup/facets/1.txt", "explorer/", "lookup/keys/1.txt/"],
        ...["bulk/03.ndjson.gz", "bulk/3.ndjson", "changes/3.ndjson.gz", STEP.replace(".gz", "")],
        STEP.replace("changes", "bulk"),
        ...["views/tag.txt", "views/.json", "views/tag/de.json", "views/tag/de/x/pages/1.json"],
      ].map((name): [string, string, undefined] => [`/${name}`, "", undefined]),
    ];
    const found = paths.map(([path, query]) => [path, query, destination(routes ?? [], base + path, query)]);
    expect(found).toEqual(paths);
  });
});

test.skipIf(isMissing(engine(VERCEL))).each(["", "/shop"])("vercel.json of a site below %j", async (base) => {
  const folder = scratch();
  const options = { db: writeShop(folder), dist: join(folder, "dist"), baseUrl: `https://example.com${base}` };
  const built = await build({ ...options, listings: SHOP });
  const config = JSON.parse((await filesFor("vercel", built.folder)).get("published/vercel.json") ?? "");
  const { routes, error } = loadEngine<VercelRouting>(VERCEL).getTransformedRoutes(config);
  expect(error).toBeNull();
  const own = (name: string) => (base === "" ? undefined : `/${name}`);
  const paths: [path: string, query: string, file: string | undefined][] = [
    ["/orders/", "page=2", "/orders/pages/2.json"],
    ["/orders/", "", "/orders/pages/1.json"],
    ["/products/", "page=", "/products/pages/1.json"],
    ["/orders/views/status/open/", "page=2", "/orders/views/status/open/pages/2.json"],
    ["/orders/views/-total/", "", "/orders/views/-total/pages/1.json"],
    ["/orders/views/status.json", "", own("orders/views/status.json")],
    ["/views/status/open/", "page=2", undefined],
    ["/orders/snapshot.json", "", own("orders/snapshot.json")],
    ["/orders/bulk/1.ndjson.gz", "", own("orders/bulk/1.ndjson.gz")],
    ["/snapshot.json", "", own("snapshot.json")],
    ["/", "page=1", own("index.html")],
    ["/pages/1.json", "", undefined],
    ["/ordersx/", "", undefined],
  ];
  const found = paths.map(([path, query]) => [path, query, destination(routes ?? [], base + path, query)]);
  expect(found).toEqual(paths);
});

/** The destination of the first rewrite that matches, as Vercel's router finds it. */
function destination(routes: readonly object[], path: string, query: string): string | undefined {
  const parameters = new URLSearchParams(query);
  for (const route of routes) {
    if (!isRewrite(route)) continue;
    const found = new RegExp(route.src).exec(path);
    if (!found) continue;
    const named: Record<string, string> = { ...found.groups };
    for (const [at, value] of found.entries()) named[at] = value;
    const given = parameters.get("page");
    const has = (route.has ?? []).every((condition) => {
      const fits = given === null ? null : new RegExp(`^${condition.value ?? ".*"}$`).exec(given);
      Object.assign(named, fits?.groups);
      return fits !== null;
    });
    if (!has || ((route.missing ?? []).length > 0 && given !== null)) continue;
    // The router adds the query, which a static file ignores.
    return route.dest.replace(/\?.*/, "").replace(/\$(\w+)/g, (_, name) => named[name] ?? "");
  }
  return undefined;
}
