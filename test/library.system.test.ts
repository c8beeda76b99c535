/** The library as a program uses it: every verb, options as values of their types, and what is refused. */
import { execFile } from "node:child_process";
import { readdirSync, readlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import {
  adapt,
  build,
  createServer,
  diff,
  GateError,
  init,
  mirror,
  publish,
  UserError,
  useRelease,
  verify,
} from "../src/index.js";
import { plainRows, writeUsers } from "./support/database.js";
import { readTree, scratch } from "./support/files.js";

const BASE = { baseUrl: "https://directory.example.com", pageSize: 2 };

/** A folder of releases of 5 users and then of 6, and the options of the builds. */
async function twoReleases() {
  const folder = scratch();
  const dist = join(folder, "dist");
  const options = { ...BASE, db: writeUsers(join(folder, "five.sqlite"), plainRows(5)), dist };
  const five = await build(options);
  const six = await build({ ...options, db: writeUsers(join(folder, "six.sqlite"), plainRows(6)), adapt: ["nginx"] });
  return { folder, dist: dist, options, five, six };
}

test("numbers are numbers", async () => {
  const { options, dist, five } = await twoReleases();
  const refused = build({ ...options, maxRemoved: 0, maxChanged: "0%" });
  await expect(refused).rejects.toThrow("max-removed 0: 1 of 6 users removed");
  await expect(refused).rejects.toBeInstanceOf(GateError);
  await build({ ...options, maxRemoved: 1 });
  expect(readlinkSync(join(dist, "current"))).toContain(five.id);
});

// As a program in JavaScript might call them.
const loose = { build, diff, verify, publish, mirror, createServer, adapt, init } as unknown as Record<
  string,
  (...given: unknown[]) => Promise<unknown>
>;
const NEEDED = { db: "a", baseUrl: "http://a", dist: "o" };

test.each([
  ["build", [{ ...NEEDED, pageSzie: 3 }], "build: pageSzie is not an option; did you mean pageSize?"],
  ["build", [{}], "build needs db and baseUrl."],
  [
    "build",
    [{ ...NEEDED, pageSize: "100", keep: -1, compress: "br" }],
    '3 mistakes in the options:\n  build: pageSize must be a whole number from 1 to 1000, got "100".\n  build: keep must be a whole number from 0 to 1000000, got -1.\n  build: compress must be a list of br and gzip, each at most once, got "br".',
  ],
  ["build", [{ ...NEEDED, maxRemovd: 0 }], "build: maxRemovd is not an option; did you mean maxRemoved?"],
  [
    "build",
    [{ ...NEEDED, maxRemoved: -1 }],
    "build: maxRemoved must be a number of records or a percentage up to 100%, such as 10, 2% or orders=5%, got -1.",
  ],
  ["build", [undefined], "build takes its options as an object, got undefined."],
  ["diff", [{ olld: "a" }], "diff: olld is not an option; did you mean old?"],
  ["verify", [{ alow: [] }], "verify: alow is not an option; did you mean allow?"],
  ["publish", [{ dist: "d" }], "publish needs target."],
  ["publish", [{ dist: "d", target: "t", dryrun: true }], "publish: dryrun is not an option; did you mean dryRun?"],
  ["mirror", [{ url: "http://a" }], "mirror needs file."],
  ["mirror", [{ url: "http://a", file: "f", maxage: "1s" }], "mirror: maxage is not an option; did you mean maxAge?"],
  ["createServer", [{ dist: "d", cacheMB: 2 }], "createServer: cacheMB is not an option; did you mean cacheMb?"],
  ["adapt", [{ name: "nginx", listenProt: 80 }], "adapt: listenProt is not an option; did you mean listenPort?"],
  ["init", [{ folder: ".", form: "x" }], "init: form is not an option; did you mean from?"],
] as const)("%s refuses what it does not know (%#)", async (verb, given, message) => {
  const refused = loose[verb]?.(...given);
  await expect(refused).rejects.toBeInstanceOf(UserError);
  await expect(refused).rejects.toMatchObject({
    exitCode: 2,
    message: expect.stringMatching(asPattern(message)),
  });
});

function asPattern(message: string | RegExp): RegExp {
  return message instanceof RegExp ? message : new RegExp(`^${message.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}$`);
}

test("a signal that is aborted stops every long verb before it begins, with its reason", async () => {
  const { folder, dist, options } = await twoReleases();
  const signal = AbortSignal.abort(new Error("enough"));
  const before = [...readTree(folder).keys()];
  const verbs = [
    () => init({ folder }, { signal }),
    () => build(options, { signal }),
    () => diff({ dist }, { signal }),
    () => verify({ dist }, { signal }),
    () => verify({ what: "http://127.0.0.1:9", dist }, { signal }),
    () => publish({ dist, target: join(folder, "site") }, { signal }),
    () => mirror({ url: "http://127.0.0.1:9", file: join(folder, "m.sqlite") }, { signal }),
    () => useRelease(dist, "previous", { signal }),
  ];
  for (const verb of verbs) await expect(verb()).rejects.toThrow("enough");
  expect([...readTree(folder).keys()]).toEqual(before);
});

test.each([0, 12])(
  "a signal stops a build of %i workers that is at work, and is waited for by all",
  async (workers) => {
    const { folder, dist, options } = await twoReleases();
    const db = writeUsers(join(folder, "many.sqlite"), plainRows(3_000));
    const names = readdirSync(dist);
    const current = readlinkSync(join(dist, "current"));
    // Threads run the compiled code.
    const program = `
    import { build } from ${JSON.stringify(new URL("../lib/index.js", import.meta.url))};
    const stop = new AbortController();
    const onProgress = ({ records }) => records > 0 && stop.abort(new Error("enough"));
    await build(${JSON.stringify({ ...options, db, workers, pageSize: 1 })}, { signal: stop.signal, onProgress })
      .catch(({ message }) => console.log(message));
  `;
    writeFileSync(join(folder, "program.mjs"), program);
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [join(folder, "program.mjs")]);
    expect({ stdout, stderr }).toEqual({ stdout: "enough\n", stderr: "" });
    expect(readdirSync(dist)).toEqual(names);
    expect(readlinkSync(join(dist, "current"))).toBe(current);
  },
);
