/** Answers for pages of views. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { build } from "../../src/index.js";
import { openRoutes } from "../../src/serve/routes.js";
import { createStore } from "../../src/serve/store.js";
import { scratch } from "../support/files.js";
import { PLACE_VIEWS, PLACES, places, writePlaces } from "../support/places.js";

/** The function that answers for a release with views, below the path `/data`. */
async function serving(contract: object = PLACES) {
  const folder = scratch();
  const db = writePlaces(join(folder, "places.sqlite"), places(230, ["de", "DE", "pages", "a b", null]));
  const options = { db, table: "places", baseUrl: "https://example.com/data", dist: join(folder, "dist"), workers: 0 };
  const made = await build({ ...options, contract: contract as typeof PLACES, pageSize: 10, views: PLACE_VIEWS });
  const store = createStore(1, (line) => expect(line).toBe(""));
  const more = { store, cacheControl: "public", downloads: { running: 0, most: 1 }, log: () => {} };
  const { answer } = await openRoutes(made.folder, more, new AbortController().signal);
  const get = (target: string, method = "GET") => {
    const { head, body } = answer({ method, target, headers: {} });
    const location = head.headers[head.headers.indexOf("Location") + 1];
    return {
      status: head.status,
      location: head.status === 301 ? location : undefined,
      text: String(Buffer.from(body ?? [])),
    };
  };
  const textOf = (path: string) => readFileSync(join(made.folder, path), "utf8");
  return { get, textOf };
}

test("pages of views are answered by query and by path", async () => {
  const { get, textOf } = await serving();
  const answers: [target: string, path: string][] = [
    ["/data/views/tag/de/", "views/tag/de/pages/1.json"],
    ["/data/views/tag/DE/?page=2", "views/tag/DE/pages/2.json"],
    ["/data/views/tag/DE/?format=api&page=5", "views/tag/DE/pages/5.json"],
    ["/data/views/tag/DE/pages/2.json", "views/tag/DE/pages/2.json"],
    ["/data/views/tag/pages/", "views/tag/pages/pages/1.json"],
    ["/data/views/tag/pages/pages/2.json", "views/tag/pages/pages/2.json"],
    ["/data/views/tag/a~20b/", "views/tag/a~20b/pages/1.json"],
    ["/data/views/tag/~null/?page=3", "views/tag/~null/pages/3.json"],
    ["/data/views/kind-highest/lake/", "views/kind-highest/lake/pages/1.json"],
    ["/data/views/-height/", "views/-height/pages/1.json"],
    ["/data/views/-height/?page=23", "views/-height/pages/23.json"],
    ["/data/views/-height/pages/23.json", "views/-height/pages/23.json"],
    ["/data/views.json", "views.json"],
    ["/data/views/tag.json", "views/tag.json"],
    ["/data/views/tag.sha256", "views/tag.sha256"],
  ];
  for (const [target, path] of answers) {
    expect(get(target), target).toEqual({ status: 200, text: textOf(path) });
    expect(get(target, "OPTIONS").status).toBe(204);
    expect(get(target, "POST").status).toBe(405);
  }
});

test("other paths of views are errors or redirects", async () => {
  const { get } = await serving();
  const detailOf = (target: string) => JSON.parse(get(target).text).detail;
  for (const target of ["de/?page=6", "de/?page=0", "de/?page=1&page=2", "de/pages/6.json", "de/pages/x.json"])
    expect(detailOf(`/data/views/tag/${target}`), target).toBe("Invalid page.");
  for (const target of ["tag", "tag/", "tag/fr/", "tag/a%20b/", "tag/de/x", "tag/pages/1.json", "x/", "-height/pages/"])
    expect(detailOf(`/data/views/${target}`), target).toBe("Not found.");
  expect(get("/data/views/tag/de?page=2")).toMatchObject({ status: 301, location: "/data/views/tag/de/?page=2" });
  expect(get("/data/views/-height")).toMatchObject({ status: 301, location: "/data/views/-height/" });
});
