/** The mirror of docs/consuming.md, in Python: through a random history, and over faults, it holds what is published or what it held. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync, gzipSync } from "node:zlib";
import Database from "better-sqlite3";
import { describe, expect, onTestFinished, test } from "vitest";
import { contractOf } from "../../src/contract/contract.js";
import type { ContractFile } from "../../src/contract/file/form.js";
import { toSql } from "../../src/contract/sql.js";
import { build } from "../../src/index.js";
import { sha256 } from "../../src/release/plain-files.js";
import { whenEnded } from "../support/command.js";
import { blocksOf } from "../support/docs.js";
import { scratch } from "../support/files.js";
import { FOREIGN } from "../support/foreign.js";
import { isMissing } from "../support/installed.js";
import { seeded } from "../support/random.js";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const [SCRIPT = ""] = blocksOf(readFileSync(join(ROOT, "docs/consuming.md"), "utf8"), "A mirror", "python");
const ROUNDS = 30;

/** What is published, what it is made from, and how a record of it is changed. */
interface Collection {
  table: string;
  fill(db: string): void;
  set: string;
  /** Undefined for the directory of users; the second is what the first becomes for a while. */
  contracts?: [ContractFile, ContractFile];
  settings?: object;
}

const foreign = (name: string, set: string): Collection => {
  const found = FOREIGN.find(({ contract }) => contract["x-listing"].words[1] === name);
  if (found === undefined) throw new Error(`There is no contract of ${name}.`);
  const { contract, next, fill, config } = found;
  const { pageSize, defaultAvatar } = config as { pageSize?: number; defaultAvatar?: string };
  return {
    table: `"${name}"`,
    fill: (db) => edit(db, `${toSql(contractOf(contract))}; ${fill}`),
    set,
    contracts: [contract, next],
    settings: { ...(pageSize && { pageSize }), ...(defaultAvatar && { defaultAvatar }) },
  };
};

const USERS: Collection = {
  table: "users",
  fill: (db) => copyFileSync(join(ROOT, "data/users.sqlite"), db),
  set: `bio = '"' || char(9, 10, 13, 0, 8232, 65279, 128512) || '\\u0041' || NUMBER`,
};

function edit(file: string, sql: string): void {
  const db = new Database(file);
  db.exec(sql);
  db.close();
}

/** What a mirror holds. */
interface Held {
  contract: string | undefined;
  state: string | undefined;
  lines: string[];
}

type Way = "nothing" | "steps" | "everything";

interface Reply {
  status: number;
  body: Buffer;
}

/** What goes wrong on the way: another answer than the host's for some of the paths. `ask` asks the host itself. */
type Fault = (path: string, reply: Reply, ask: (path: string) => Reply) => Reply | Promise<Reply>;

const only =
  (isMeant: (path: string) => boolean, body: (right: Buffer) => Buffer): Fault =>
  (path, reply) =>
    isMeant(path) && reply.status === 200 ? { ...reply, body: body(reply.body) } : reply;
const isStep = (path: string) => path.startsWith("/changes/");
const isPart = (path: string) => path.startsWith("/bulk/");
const missing =
  (isMeant: (path: string) => boolean): Fault =>
  (path, reply) =>
    isMeant(path) ? { status: 404, body: Buffer.from("{}") } : reply;

const LISTS: Readonly<Record<string, string>> = { "/changes.json": "steps", "/bulk.json": "parts" };

/** Files with other lines, and lists that say that these are right. */
function withLines(isMeant: (path: string) => boolean, edit: (lines: string[]) => string[]): Fault {
  const edited = (file: Buffer) => {
    const lines = gunzipSync(file).toString().split("\n").slice(0, -1);
    return Buffer.from(edit(lines).join("\n").concat("\n"));
  };
  return (path, reply, ask) => {
    if (isMeant(path)) return { ...reply, body: gzipSync(edited(reply.body)) };
    const name = LISTS[path];
    if (name === undefined) return reply;
    const list = JSON.parse(reply.body.toString());
    for (const entry of list[name])
      if (isMeant(`/${entry.file}`)) entry.sha256 = sha256(edited(ask(`/${entry.file}`).body));
    return { ...reply, body: Buffer.from(JSON.stringify(list)) };
  };
}

const isList = (path: string) => path === "/changes.json";
const isBoth = (path: string) => isStep(path) || isPart(path);
const cut = (right: Buffer) => right.subarray(0, -9);
const flip = (right: Buffer) => right.map((byte, at) => (at === right.length >> 1 ? byte ^ 1 : byte)) as Buffer;

/** What goes wrong where a step is needed, and what is read then. */
const FAULTS: readonly [name: string, fault: Fault, then: Way | "refused"][] = [
  ["no list", missing(isList), "everything"],
  ["a list that is none", only(isList, () => Buffer.from("[]")), "everything"],
  ["no step", missing(isStep), "everything"],
  ["a cut step", only(isStep, cut), "everything"],
  ["a flipped bit", only(isStep, flip), "everything"],
  ["another step", only(isStep, () => gzipSync('{"remove":"1"}\n')), "everything"],
  ["a line less", withLines(isStep, (lines) => lines.slice(1)), "everything"],
  [
    "one removed",
    withLines(isStep, (lines) => [...lines, lines[0]?.replace(/^.*"id":("[^"]+").*$/s, '{"remove":$1}') ?? ""]),
    "everything",
  ],
  ["nobody removed", withLines(isStep, (lines) => [...lines, '{"remove":"nobody"}']), "steps"],
  ["lines twice, and backwards", withLines(isStep, (lines) => [...lines, ...lines].reverse()), "steps"],
  [
    "other records",
    withLines(isStep, (lines) => lines.map((line) => line.replace('"bio":"', '"bio":"x'))),
    "everything",
  ],
  ["a record that is none", withLines(isStep, (lines) => [...lines, '{"put":{}}']), "everything"],
  ["lines that are none", withLines(isStep, (lines) => [...lines, "[", "7"]), "everything"],
  ["no part either", missing(isBoth), "refused"],
  ["a cut part, too", only(isBoth, cut), "refused"],
  ["a line less in parts, too", withLines(isBoth, (lines) => lines.slice(1)), "refused"],
];

/** @throws Error where more was asked for than this way needs. */
function wayOf(asked: readonly string[]): Way {
  const named = asked.filter((path) => !isStep(path) && !isPart(path)).join(" ");
  if (asked.some(isPart)) return "everything";
  if (asked.length === 1) expect(named).toBe("/snapshot.json");
  else expect(named).toBe("/snapshot.json /contract.json /changes.json");
  return asked.length === 1 ? "nothing" : "steps";
}

/** A host of what is current in a folder, which notes what it is asked for, and answers wrongly if it is told to. */
async function hostOf(dist: string) {
  let asked: string[] = [];
  let fault: Fault = (_path, reply) => reply;
  const ask = (path: string): Reply => {
    const file = join(dist, "current", path);
    return existsSync(file) ? { status: 200, body: readFileSync(file) } : { status: 404, body: Buffer.from("{}") };
  };
  const server = createServer(async ({ url = "" }, res) => {
    asked.push(url);
    const { status, body } = await fault(url, ask(url), ask);
    res.writeHead(status, { Connection: "close" }).end(body);
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** What is asked for from now on goes wrong in this way. @returns what was asked for until now. */
    misbehave(next: Fault = (_path, reply) => reply): string[] {
      fault = next;
      const until = asked;
      asked = [];
      return until;
    },
  };
}

/** The program of the page, and what it keeps. */
function createMirror() {
  const folder = scratch();
  const [program, file] = [join(folder, "mirror.py"), join(folder, "mirror.sqlite")];
  writeFileSync(program, SCRIPT);
  const read = <T>(query: string) => {
    const db = new Database(file, { readonly: true });
    const found = db.prepare(query).pluck().all() as T[];
    db.close();
    return found;
  };
  return {
    update: (url: string) => whenEnded(spawn("/usr/bin/python3", [program, url, file])),
    records: (order: string) => read<string>(`SELECT record FROM records ORDER BY ${order}`),
    /** Undefined before its first run. */
    held(): Held | undefined {
      if (!existsSync(file)) return undefined;
      const [contract, state] = [
        read<string>("SELECT contract FROM mirror")[0],
        read<string>("SELECT state FROM mirror")[0],
      ];
      return { contract, state, lines: read<string>("SELECT line FROM records") };
    },
  };
}

/** What is published by a host, and a mirror of it. */
async function arrange({ table, fill, set, contracts, settings }: Collection) {
  const [folder, dist, mirror] = [scratch(), scratch(), createMirror()];
  const [db, host] = [join(folder, "source.sqlite"), await hostOf(dist)];
  fill(db);
  edit(db, `CREATE TABLE kept AS SELECT * FROM ${table}`);
  let number = 0;
  const publish = async (sql: string, changes = 3, of = 0) => {
    edit(db, sql.replaceAll("NUMBER", `${number++}`));
    const path = join(folder, "contract.json");
    if (contracts) writeFileSync(path, JSON.stringify(contracts[of]));
    await build({
      db,
      dist: dist,
      baseUrl: host.url,
      bulk: true,
      changes,
      ...(contracts && { contract: path }),
      ...settings,
    });
  };
  const read = (name: string) => readFileSync(join(dist, "current", name), "utf8");
  /** The text of every record of the current release, in order, from its pages. */
  const records = () => {
    const path = `${(contracts?.[0]["x-listing"].path ?? "/api/users/").slice(1)}pages`;
    const texts: string[] = [];
    for (let page = 1; existsSync(join(dist, "current", path, `${page}.json`)); page++)
      texts.push(...read(`${path}/${page}.json`).split("\n").slice(1, -2));
    return texts.map((line) => line.replace(/,$/, ""));
  };
  /** What is to be read by a mirror that holds this. */
  const wayFrom = (held: Held | undefined): Way => {
    if (JSON.parse(read("snapshot.json")).state === held?.state) return "nothing";
    if (!existsSync(join(dist, "current/changes.json")) || read("contract.json") !== held?.contract)
      return "everything";
    const { steps } = JSON.parse(read("changes.json")) as { steps: { from: string }[] };
    return steps.some(({ from }) => from === held.state) ? "steps" : "everything";
  };
  return {
    /** Changes records, and publishes. */
    publish,
    step: () => publish(`UPDATE ${table} SET ${set} WHERE rowid < 4`),
    expected: () => wayFrom(mirror.held()),
    /** Runs the program. It must hold what is current, or say why not and hold what it did. */
    async update(what: string, fault?: Fault): Promise<Way | "refused"> {
      const before = mirror.held();
      host.misbehave(fault);
      const { code, stderr } = await mirror.update(host.url);
      const asked = host.misbehave();
      if (code !== 0) {
        expect(stderr, what).toContain("The copy stays as it was");
        expect(mirror.held(), what).toEqual(before);
        return "refused";
      }
      const order = JSON.parse(read("contract.json"))["x-listing"].order as string[];
      const terms = order.map((path, at) => `place${at}${path.startsWith("-") ? " DESC" : ""}`);
      expect(mirror.held()?.state, what).toBe(JSON.parse(read("snapshot.json")).state);
      expect(mirror.records(terms.join(", ")), what).toEqual(records());
      return wayOf(asked);
    },
  };
}

describe.skipIf(isMissing("/usr/bin/python3"))("a mirror in Python", () => {
  test.each([
    USERS,
    foreign("works of art", `"also known as" = 'known as ' || NUMBER`),
    foreign("mots", `sens = '["le sens NUMBER"]'`),
  ])("of $table holds what is published", async (collection) => {
    const [random, { table, set }] = [seeded(), collection];
    const { publish, update, expected } = await arrange(collection);
    const ways = new Set<Way | "refused">();
    let of = 0;
    await publish("");
    for (let round = 0; round < ROUNDS; round++) {
      for (let builds = round % 4; builds > 0; builds--) {
        const some = `rowid IN (SELECT rowid FROM ${table} ORDER BY rowid LIMIT 3 OFFSET ${random.below(9)})`;
        const edits = [
          `UPDATE ${table} SET ${set} WHERE ${some}`,
          `DELETE FROM ${table} WHERE ${some}`,
          `INSERT OR IGNORE INTO ${table} SELECT * FROM kept LIMIT 5 OFFSET ${random.below(9)}`,
        ];
        if (random.chance(0.1)) of = 1 - of;
        await publish(edits[random.below(3)] ?? "", random.chance(0.1) ? 0 : 3, of);
      }
      const wanted = expected();
      expect(await update(`round ${round}`), `round ${round}`).toBe(wanted);
      ways.add(wanted);
    }
    expect([...ways].sort()).toEqual(["everything", "nothing", "steps"]);
  });

  test("is right or what it was, whatever goes wrong on the way", async () => {
    const { publish, step, update } = await arrange(USERS);
    await publish("");
    expect(await update("first")).toBe("everything");
    for (const [name, fault, then] of FAULTS) {
      await step();
      expect(await update(name, fault), name).toBe(then);
      if (then === "refused") expect(await update(`after ${name}`)).toBe("steps");
    }
  });
});
