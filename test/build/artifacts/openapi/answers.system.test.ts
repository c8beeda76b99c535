/** Rollcall's own host answers as openapi.json says, including every header. */
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { Changes } from "../../../../src/build/artifacts/steps.js";
import { USERS } from "../../../../src/core/contract/users.js";
import { build } from "../../../../src/index.js";
import { createListingServer } from "../../../../src/serve/serve.js";
import { type Answer, ask } from "../../../serve/running.js";
import { plainRows, writeUsers } from "../../../support/database.js";
import { scratch } from "../../../support/files.js";
import { reading } from "./described.js";

const AT_BASE = { contract: { ...USERS, "x-listing": { ...USERS["x-listing"], path: "/" } } };

/** Headers that openapi.json does not list: those of HTTP itself, Content-Type, and Date. */
const UNDESCRIBED = ["connection", "content-length", "content-type", "date", "keep-alive", "last-modified"];

/** Five users on three pages, of whom four were there before, served below a path. */
async function served(settings: Partial<Parameters<typeof build>[0]>) {
  const cwd = scratch();
  const place = { dist: join(cwd, "dist"), baseUrl: "https://a.example/people" };
  const built = (count: number) => {
    const db = writeUsers(join(cwd, `${count}.sqlite`), plainRows(count));
    return build({ ...place, db, pageSize: 2, ...settings });
  };
  await built(4);
  const { folder } = await built(5);
  const server = await createListingServer({ dist: folder });
  onTestFinished(() => server.close());
  const { url } = await server.listen({ port: 0 });
  const read = (name: string) => readFileSync(join(folder, name), "utf8");
  return { described: reading(read("openapi.json")), port: Number(new URL(url).port), read };
}

/** Holds an answer against what is said of it. */
function expectDescribed(described: ReturnType<typeof reading>, path: string, method: string, answer: Answer): void {
  const what = `${method} ${path} ${answer.status}`;
  const answers = described.answers(path);
  const found = [String(answer.status), `${Math.floor(answer.status / 100)}XX`, "default"];
  const said = answers.find(({ status }) => found.includes(status));
  if (!said) throw new Error(`${what} is not described`);
  const own = Object.keys(answer.headers).filter((name) => !UNDESCRIBED.includes(name));
  expect(
    own.filter((name) => !said.headers.has(name)),
    what,
  ).toEqual([]);
  for (const [name, { required, takes }] of said.headers) {
    const value = answer.headers[name];
    if (value === undefined) expect(required, `${name} of ${what}`).toBe(false);
    else expect(takes(value), `${name}: ${value} of ${what}`).toBe(true);
  }
  if (answer.body.length === 0) return;
  const type = answer.headers["content-type"]?.split(";")[0] ?? "";
  const takes = said.bodies.get(type);
  expect(takes, `${type} of ${what}`).toBeDefined();
  if (answer.headers["content-encoding"] !== undefined) return;
  const text = answer.body.toString("latin1");
  expect(takes?.(type.endsWith("json") ? JSON.parse(answer.body.toString()) : text), what).toBe(true);
}

test.each([
  ["plain, by query", { compress: [], links: "query", bulk: false, changes: 0 }],
  ["plain, by query, with steps", { compress: [], links: "query", bulk: false, changes: 3 }],
  ["compressed, by path, with parts", { compress: ["br", "gzip"], links: "path", bulk: true, csv: true, changes: 0 }],
  ["with a Parquet file", { compress: [], links: "query", bulk: false, changes: 0, parquet: true }],
  [
    "with a Data Package",
    { compress: [], links: "query", bulk: false, changes: 0, csv: true, parquet: true, dataPackage: true },
  ],
  ["with a look-up", { compress: ["gzip"], links: "query", bulk: false, changes: 0, lookup: true }],
  ["at the base URL itself", { ...AT_BASE, compress: [], links: "query", bulk: false, changes: 0, lookup: true }],
] as const)("every path of a release answers as it is described: %s", async (_name, settings) => {
  const { described, port, read } = await served(settings);
  const changes: Changes | undefined = settings.changes > 0 ? JSON.parse(read("changes.json")) : undefined;
  const step = basename(changes?.steps[0]?.file ?? "", ".ndjson.gz");
  const seen = new Set<string>();
  for (const path of Object.keys(described.document.paths)) {
    const target = `/people${path
      .replace("{page}", "2")
      .replace(/\{(?:part|number)\}/, "1")
      .replace("{step}", step)}`;
    const missing = `/people${path
      .replace("{page}", "9")
      .replace(/\{(?:part|number)\}/, "9")
      .replace("{step}", "none")}`;
    const { etag = "" } = (await ask(port, target)).headers;
    const requests = [
      [target, {}],
      [target, { "If-None-Match": etag }],
      [target, { "Accept-Encoding": "br" }],
      [target, { Range: "bytes=1-2" }],
      [target, { Range: "bytes=99999999-" }],
      [missing, {}],
      [`${target}?page=0`, {}],
    ] as const;
    for (const method of ["GET", "HEAD"]) {
      for (const [url, headers] of requests) {
        const answer = await ask(port, url, { method, headers });
        expectDescribed(described, path, method, answer);
        seen.add(`${method} ${answer.status}`);
      }
    }
    const refused = await ask(port, target, { method: "POST" });
    expect(refused.status).toBe(405);
    expectDescribed(described, path, "GET", refused);
  }
  const always = ["GET 200", "GET 304", "GET 404", "HEAD 200", "HEAD 304", "HEAD 404"];
  const ranges = settings.bulk || settings.changes > 0 || "parquet" in settings ? ["GET 206", "GET 416"] : [];
  expect([...seen].sort()).toEqual([...always, ...ranges].sort());
});
