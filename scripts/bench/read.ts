/** A whole listing read by `rollcall/client`, by pages and by bulk, and by what programs read listings with otherwise. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Part } from "./bench.js";
import { type Asked, startLogged } from "./logged.js";
import { isInstalled } from "./machine.js";
import { measure } from "./measure.js";
import { rollcall } from "./programs.js";
import { type Contestant, OUTCOME_HEAD, outcomeCells, race, timesOf } from "./race.js";
import { fixed } from "./report.js";
import { freePort } from "./serve/servers.js";

const PAGES = "rollcall/client, by pages";
const READER = fileURLToPath(new URL("reader.mjs", import.meta.url));
const GOT = fileURLToPath(new URL("../../test/engines/node_modules/got", import.meta.url));

/** Parts as they come, unpacked and counted: nothing is proved, and no record is parsed. */
const CURL = `for part in $(curl -fsS "$0/bulk.json" | jq -r '.parts[].file'); do curl -fsS "$0/$part"; done | zcat | wc -l`;

export const benchRead: Part = async (bench) => {
  const users = bench.users?.[0] ?? (bench.isQuick ? 2_000 : 100_000);
  bench.say(`read: ${users.toLocaleString("en")} users`);
  const [dist, log] = [join(bench.folder, "read"), join(bench.folder, "requests.log")];
  const baseUrl = `http://127.0.0.1:${await freePort()}`;
  const key = makeKey(bench.folder);
  const signed = key === undefined ? [] : ["--sign-key", key.secret];
  await rollcall(bench.sources.take(users), dist, "--base-url", baseUrl, "--compress", "gzip", "--bulk", ...signed);
  const server = await startLogged(dist, baseUrl, log);
  try {
    const asked = new Map<string, Asked>();
    const contestants = contestantsOf(baseUrl, key?.public).map(
      ({ name, run }): Contestant => ({
        name,
        async run() {
          const [measured, requests] = await server.counting(run);
          asked.set(name, requests);
          return measured;
        },
      }),
    );
    const outcomes = await race(contestants, bench.rounds ?? (bench.isQuick ? 1 : 5), bench.say);
    const own = outcomes.find(({ name }) => name === PAGES);
    return {
      tables: [
        {
          title: `Reading ${users.toLocaleString("en")} users, 100 a page, from rollcall serve`,
          head: ["program", "time / client", ...OUTCOME_HEAD, "requests", "MB on the way"],
          rows: outcomes.map((one) => {
            const { requests = 0, bytes = 0 } = asked.get(one.name) ?? {};
            const cells = [requests.toLocaleString("en"), fixed(bytes / 1e6)];
            return [one.name, fixed(timesOf(one, own)), ...outcomeCells(one), ...cells];
          }),
        },
      ],
      verdicts: [],
      missing: [
        ...(key ? [] : ["signatures: install minisign"]),
        ...(existsSync(GOT) ? [] : ["got: npm ci --prefix test/engines"]),
        ...(isInstalled("jq") && isInstalled("curl") ? [] : ["curl with zcat: install curl and jq"]),
      ],
      figures: outcomes.map((one) => ({ ...one, ...asked.get(one.name) })),
    };
  } finally {
    await server.end();
    for (const path of [dist, log]) rmSync(path, { recursive: true, force: true });
  }
};

function contestantsOf(baseUrl: string, publicKey: string | undefined): Contestant[] {
  const reader = (name: string, ...args: string[]): Contestant => {
    return { name, run: () => measure(process.execPath, [READER, ...args]) };
  };
  return [
    reader(PAGES, "pages", baseUrl),
    ...(publicKey === undefined ? [] : [reader(`${PAGES}, with a key`, "pages", baseUrl, publicKey)]),
    reader("rollcall/client, by bulk", "bulk", baseUrl),
    reader("fetch and next, unproved", "fetch", baseUrl),
    ...(existsSync(GOT) ? [reader("got.paginate, unproved", "got", baseUrl, "", `${GOT}/dist/source/index.js`)] : []),
    ...(isInstalled("jq") && isInstalled("curl")
      ? [{ name: "curl and zcat of bulk, unproved", run: () => measure("sh", ["-c", CURL, baseUrl]) }]
      : []),
  ];
}

/** Without a password; undefined where there is no minisign. */
function makeKey(folder: string): { secret: string; public: string } | undefined {
  if (!isInstalled("minisign")) return undefined;
  const [secret, open] = [join(folder, "bench.key"), join(folder, "bench.pub")];
  execFileSync("minisign", ["-G", "-W", "-f", "-s", secret, "-p", open], { stdio: "pipe" });
  return { secret, public: readFileSync(open, "utf8") };
}
