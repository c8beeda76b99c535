/** The runtimes of the client. Each loads the compiled client and cases.mjs unchanged. */
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { onTestFinished } from "vitest";
import { BROWSER, launchBrowser } from "../../support/browser.js";
import { whenEnded } from "../../support/command.js";
import { engine, loadEngine } from "../../support/installed.js";
import type { Job, Part, Row } from "./cases.mjs";

/** What cases.mjs offers, in another runtime. */
interface Cases {
  runCases(job: Job): Promise<Row[]>;
  runPart(part: Part): Promise<{ texts: string[]; after: unknown }>;
}

interface Runtime {
  name: string;
  needs: readonly string[];
  /** Starts it, until the test is over. */
  start(): Promise<Run> | Run;
}

type Run = (name: keyof Cases, given: unknown) => Promise<unknown>;

const ROOT = new URL("../../../", import.meta.url).pathname;
const CLIENT = join(ROOT, "lib/client/index.js");
const RUN = join(ROOT, "test/client/readers/run.mjs");
const BUN = engine("@oven/bun-linux-x64/bin/bun");
const DENO = engine("@deno/linux-x64-glibc/deno");

export const RUNTIMES: readonly Runtime[] = [
  { name: "Node", needs: [], start: () => byCommand(process.execPath) },
  { name: "Deno", needs: [DENO], start: () => byCommand(DENO, "run", "--no-config", "--allow-net", "--allow-read") },
  { name: "Bun", needs: [BUN], start: () => byCommand(BUN, "run") },
  { name: "workerd", needs: [engine("miniflare")], start: inWorker },
  { name: "Chromium", needs: [BROWSER], start: inBrowser },
];

/** The cases in a runtime that has been started. */
export async function casesIn(runtime: Runtime): Promise<Cases> {
  const run = await runtime.start();
  return {
    runCases: (job) => run("runCases", job) as ReturnType<Cases["runCases"]>,
    runPart: (part) => run("runPart", part) as ReturnType<Cases["runPart"]>,
  };
}

function byCommand(program: string, ...options: string[]): Run {
  return async (name, given) => {
    const child = spawn(program, [...options, RUN, name, pathToFileURL(CLIENT).href]);
    child.stdin.end(JSON.stringify(given));
    const { code, stdout, stderr } = await whenEnded(child);
    if (code !== 0) throw new Error(`${program} ended with ${code}: ${stderr}`);
    return JSON.parse(stdout);
  };
}

interface Miniflare {
  ready: Promise<unknown>;
  dispatchFetch(url: string, init: { method: string; body: string }): Promise<Response>;
  dispose(): Promise<void>;
}

interface MiniflareModule {
  Miniflare: new (options: object) => Miniflare;
}

const WORKER = `\
import { run } from "./test/client/readers/cases.mjs";
import * as client from "./lib/client/index.js";
export default {
  async fetch(request) {
    const name = new URL(request.url).pathname.slice(1);
    return Response.json(await run(name, client, await request.json()));
  },
};
`;

async function inWorker(): Promise<Run> {
  const { Miniflare } = loadEngine<MiniflareModule>("miniflare");
  const files = ["test/client/readers/cases.mjs", ...modulesFrom(CLIENT).map((path) => relative(ROOT, path))];
  const modules = files.map((path) => ({ path, contents: readFileSync(join(ROOT, path), "utf8") }));
  const worker = new Miniflare({
    modules: [{ path: "worker.mjs", contents: WORKER }, ...modules].map((module) => ({ type: "ESModule", ...module })),
    compatibilityDate: "2026-01-01",
    cf: false,
  });
  onTestFinished(() => worker.dispose());
  await worker.ready;
  return async (name, given) => {
    const answer = await worker.dispatchFetch(`http://worker/${name}`, { method: "POST", body: JSON.stringify(given) });
    if (!answer.ok) throw new Error(await answer.text());
    return answer.json();
  };
}

/** A file of the client and all that it loads, at once or later. */
function modulesFrom(path: string, found = new Set<string>()): string[] {
  if (found.has(path)) return [];
  found.add(path);
  const imports = readFileSync(path, "utf8").matchAll(/(?:\bfrom|\bimport)\s*\(?\s*"(\.[^"]+)"/g);
  for (const [, to = ""] of imports) modulesFrom(join(dirname(path), to), found);
  return [...found];
}

const FLAGS = [
  ...["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"],
  ...["--disable-background-networking", "--disable-component-update", "--disable-sync"],
];

/** The files are served to it by an origin that is none of the hosts'. */
async function inBrowser(): Promise<Run> {
  const server = createServer(({ url = "" }, res) => {
    const isScript = /\.m?js$/.test(url);
    res.setHeader("Content-Type", isScript ? "text/javascript" : "text/html");
    res.end(isScript ? readFileSync(join(ROOT, url)) : "<!doctype html><title>A reader</title>");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const browser = await launchBrowser(FLAGS);
  onTestFinished(() => browser.close());
  const page = await browser.newPage();
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  // As text, since a function would be what the test runner makes of it.
  return (name, given) => page.evaluate(`${LOADED}.run("${name}", client, ${JSON.stringify(given)}))`);
}

const LOADED =
  'Promise.all([import("/test/client/readers/cases.mjs"), import("/lib/client/index.js")]).then(([cases, client]) => cases';
