/** The mirror of docs/consuming.md, in Python: through histories on real hosts, and over faults, it holds what is published or what it held. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync, gzipSync } from "node:zlib";
import Database from "better-sqlite3";
import { describe, expect, onTestFinished, test } from "vitest";
import { contractOf } from "../../src/contract/contract.js";
import type { ContractFile } from "../../src/contract/file/form.js";
import { toSql } from "../../src/contract/schema/sql.js";
import { adapt, build } from "../../src/index.js";
import { sha256 } from "../../src/release/files.js";
import { startNginx } from "../adapters/servers.js";
import { start, whenEnded } from "../support/command.js";
import { blocksOf } from "../support/docs.js";
import { scratch } from "../support/files.js";
import { FOREIGN } from "../support/foreign.js";
import { isMissing } from "../support/installed.js";
import { freePort } from "../support/ports.js";
import { type Random, seeded } from "../support/random.js";
import { eventually } from "../support/until.js";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const [SCRIPT = ""] = blocksOf(readFileSync(join(ROOT, "docs/consuming.md"), "utf8"), "A mirror", "python");
const ROUNDS = 12;

/** What is published, and how a record of it is changed by its row number. */
interface Collection {
  table: string;
  fill(db: Database.Database): void;
  set: string;
  /** Undefined for the directory of users; the second is what the first becomes for a while. */
  contracts?: [ContractFile, ContractFile];
  settings: { pageSize?: number; defaultAvatar?: string };
}

const foreign = (table: string, set: string): Collection => {
  const found = FOREIGN.find(({ contract }) => contract["x-listing"].words[1] === table);
  if (found === undefined) throw new Error(`There is no contract of ${table}.`);
  const { contract, next, fill, config } = found;
  const { pageSize, defaultAvatar } = config as Collection["settings"];
  return {
    table: `"${table}"`,
    fill: (db) => void db.exec(`${toSql(contractOf(contract))}; ${fill}`),
    set,
    contracts: [contract, next],
    settings: { ...(pageSize && { pageSize }), ...(defaultAvatar && { defaultAvatar }) },
  };
};

const COLLECTIONS: readonly Collection[] = [
  {
    table: "users",
    fill(db) {
      db.prepare("ATTACH ? AS sample").run(join(ROOT, "data/users.sqlite"));
      const { sql } = db.prepare("SELECT sql FROM sample.sqlite_schema WHERE name = 'users'").get() as { sql: string };
      db.exec(`${sql}; INSERT INTO users SELECT * FROM sample.users; DETACH sample`);
    },
    set: `bio = '"' || char(9, 10, 13, 0, 8232, 65279, 128512) || '\\u0041' || @n`,
    settings: {},
  },
  foreign("works of art", `"also known as" = 'known as ' || @n`),
  foreign("mots", `sens = '["le sens ' || @n || '"]'`),
];

/** What a mirror holds. */
interface Held {
  contract: string | undefined;
  state: string | undefined;
  lines: string[];
}

type Way = "nothing" | "steps" | "everything";

/** A source that changes at random, and is published at an address. */
class Publisher {
  readonly dist = scratch();
  readonly #folder = scratch();
  readonly #db = join(this.#folder, "source.sqlite");
  #contract = 0;
  #edits = 0;

  constructor(
    readonly collection: Collection,
    readonly baseUrl: string,
    readonly random: Random,
  ) {
    this.#edit((db) => {
      collection.fill(db);
      db.exec(`CREATE TABLE kept AS SELECT * FROM ${collection.table}`);
    });
    for (const [at, contract] of (collection.contracts ?? []).entries())
      writeFileSync(this.#contractPath(at), JSON.stringify(contract));
  }

  get order(): string {
    const { "x-listing": listing } = JSON.parse(readFileSync(join(this.dist, "current/contract.json"), "utf8"));
    const terms = (listing.order as string[]).map((path, at) => `place${at}${path.startsWith("-") ? " DESC" : ""}`);
    return terms.join(", ");
  }

  /** What is to be read by a mirror that holds this. */
  wayFrom(held: Held | undefined): Way {
    const read = (name: string) => readFileSync(join(this.dist, "current", name), "utf8");
    if (JSON.parse(read("snapshot.json")).state === held?.state) return "nothing";
    if (!existsSync(join(this.dist, "current/changes.json")) || read("contract.json") !== held?.contract)
      return "everything";
    const { steps } = JSON.parse(read("changes.json")) as { steps: { from: string }[] };
    return steps.some(({ from }) => from === held.state) ? "steps" : "everything";
  }

  /** The text of every record of the current release, in order, from its pages. */
  records(): string[] {
    const path = this.collection.contracts?.[0]["x-listing"].path ?? "/api/users/";
    const file = (page: number) => join(this.dist, "current", path, `pages/${page}.json`);
    const texts: string[] = [];
    for (let page = 1; existsSync(file(page)); page++) {
      const lines = readFileSync(file(page), "utf8").split("\n").slice(1, -2);
      texts.push(...lines.map((line) => line.replace(/,$/, "")));
    }
    return texts;
  }

  /** Three records change, and there is a step. */
  async publishStep(): Promise<void> {
    const { table, set } = this.collection;
    this.#edit((db) => db.prepare(`UPDATE ${table} SET ${set} WHERE rowid < 4`).run({ n: this.#edits++ }));
    await this.build(3);
  }

  /** Something changes, or is as it was once. Seldom the contract is another, or there are no steps. */
  async publish(): Promise<void> {
    const { random } = this;
    const saved = join(this.#folder, "saved.sqlite");
    if (random.chance(0.15) && existsSync(saved)) cpSync(saved, this.#db);
    else this.#change();
    if (random.chance(0.2)) cpSync(this.#db, saved);
    if (random.chance(0.1)) this.#contract = 1 - this.#contract;
    await this.build(random.chance(0.1) ? 0 : 3);
  }

  async build(changes: number): Promise<void> {
    const { collection, dist: out, baseUrl } = this;
    const contract = collection.contracts && { contract: this.#contractPath(this.#contract) };
    await build({
      db: this.#db,
      out,
      baseUrl,
      bulk: true,
      adapt: ["nginx"],
      changes,
      ...contract,
      ...collection.settings,
    });
  }

  #change(): void {
    const { collection, random } = this;
    const { table, set } = collection;
    this.#edit((db) => {
      const count = db.prepare(`SELECT count(*) FROM kept`).pluck().get() as number;
      const [n, at] = [this.#edits++, random.below(count)];
      const some = `rowid IN (SELECT rowid FROM ${table} ORDER BY rowid LIMIT ${1 + random.below(3)} OFFSET ${at})`;
      if (random.chance(0.3)) db.exec(`DELETE FROM ${table} WHERE ${some}`);
      else db.prepare(`UPDATE ${table} SET ${set} WHERE ${some}`).run({ n });
      if (random.chance(0.4)) db.exec(`INSERT OR IGNORE INTO ${table} SELECT * FROM kept LIMIT 5 OFFSET ${at}`);
    });
  }

  #edit(by: (db: Database.Database) => unknown): void {
    const db = new Database(this.#db);
    by(db);
    db.close();
  }

  #contractPath(at: number): string {
    return join(this.#folder, `contract-${at}.json`);
  }
}

/** Starts a host of what is published. @returns what has it take up the newest release. */
type Host = (dist: string, port: number) => Promise<() => void>;

const serve: Host = async (dist, port) => {
  const { child, ended } = start(["serve", dist, "--port", `${port}`]);
  onTestFinished(async () => {
    child.kill("SIGTERM");
    await ended;
  });
  return () => {};
};

const nginx: Host = async (dist, port) => {
  const folder = scratch();
  const { files } = await adapt("nginx", { dist, listenPort: port, address: "127.0.0.1" });
  const [site] = files.filter(({ path }) => !path.includes("/"));
  await startNginx(folder, port, [site?.text ?? ""]);
  return () => void process.kill(Number(readFileSync(join(folder, "nginx.pid"), "utf8")), "SIGHUP");
};

interface Reply {
  status: number;
  body: Buffer;
}

/** What goes wrong on the way: another answer than the host's for some of the paths. `ask` asks the host itself. */
type Fault = (path: string, reply: Reply, ask: (path: string) => Promise<Reply>) => Reply | Promise<Reply>;

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
  return async (path, reply, ask) => {
    if (isMeant(path)) return { ...reply, body: gzipSync(edited(reply.body)) };
    const name = LISTS[path];
    if (name === undefined) return reply;
    const list = JSON.parse(reply.body.toString());
    for (const entry of list[name])
      if (isMeant(`/${entry.file}`)) entry.sha256 = sha256(edited((await ask(`/${entry.file}`)).body));
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

/** Another host in front of a host, which counts what it is asked for, and answers wrongly if it is told to. */
async function inFront(behind: string) {
  let asked: string[] = [];
  let fault: Fault = (_path, reply) => reply;
  const ask = async (path: string): Promise<Reply> => {
    // A host may end a kept connection just as it is used again.
    const answer = await fetch(behind + path).catch(() => fetch(behind + path));
    return { status: answer.status, body: Buffer.from(await answer.arrayBuffer()) };
  };
  const server = createServer(async ({ url = "" }, res) => {
    asked.push(url);
    const { status, body } = await fault(url, await ask(url), ask);
    res.writeHead(status, { Connection: "close" }).end(body);
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** What is asked for from now on goes wrong in this way. @returns what was asked for until now. */
    misbehave(next: Fault | undefined): string[] {
      fault = next ?? ((_path, reply) => reply);
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

test("the program has some forty lines", () => {
  expect(SCRIPT.split("\n").filter((line) => line !== "").length).toBeLessThanOrEqual(46);
});

/** What is published by a host, and a mirror of it that reads through another host. */
async function arrange(collection: Collection, host: Host, random: Random) {
  const port = await freePort();
  const address = `http://127.0.0.1:${port}`;
  const publisher = new Publisher(collection, address, random);
  await publisher.build(3);
  const takeUp = await host(publisher.dist, port);
  const [front, mirror] = [await inFront(address), createMirror()];
  return {
    publisher,
    mirror,
    /** Runs the program, once the host has what is current. It must hold that, or say why not and hold what it did. */
    async update(what: string, fault?: Fault): Promise<Way | "refused"> {
      takeUp();
      const snapshot = readFileSync(join(publisher.dist, "current/snapshot.json"), "utf8");
      const served = async () => (await fetch(`${address}/snapshot.json`)).text();
      await eventually(async () => expect(await served()).toBe(snapshot));
      const before = mirror.held();
      front.misbehave(fault);
      const { code, stderr } = await mirror.update(front.url);
      const asked = front.misbehave(undefined);
      if (code !== 0) {
        expect(stderr, what).toContain("The copy stays as it was");
        expect(mirror.held(), what).toEqual(before);
        return "refused";
      }
      expect(mirror.held()?.state, what).toBe(JSON.parse(snapshot).state);
      expect(mirror.records(publisher.order), what).toEqual(publisher.records());
      return wayOf(asked);
    },
  };
}

describe.skipIf(isMissing("nginx", "/usr/bin/python3"))("a mirror in Python", () => {
  test.each([
    ["rollcall serve", serve],
    ["nginx", nginx],
  ])("of %s holds what is published", { timeout: 300_000 }, async (_name, host) => {
    const random = seeded();
    const counts = { steps: 0, everything: 0, nothing: 0, refused: 0 };
    for (const collection of COLLECTIONS) {
      const { publisher, mirror, update } = await arrange(collection, host, random);
      for (let round = 0; round < ROUNDS; round++) {
        const builds = round === 0 || random.chance(0.15) ? 0 : 1 + random.below(2);
        for (let built = 0; built < builds; built++) await publisher.publish();
        const expected = publisher.wayFrom(mirror.held());
        const what = `${collection.table}, round ${round}`;
        const way = await update(what);
        expect(way, what).toBe(expected);
        counts[way]++;
      }
    }
    const { refused, ...others } = counts;
    expect([refused, Math.min(...Object.values(others)) > 0], JSON.stringify(counts)).toEqual([0, true]);
  });

  test("is right or what it was, whatever goes wrong on the way", { timeout: 300_000 }, async () => {
    const [users] = COLLECTIONS;
    if (users === undefined) throw new Error("There is no collection.");
    const { publisher, update } = await arrange(users, serve, seeded(1));
    expect(await update("first")).toBe("everything");
    for (const [name, fault, then] of FAULTS) {
      await publisher.publishStep();
      expect(await update(name, fault), name).toBe(then);
      if (then === "refused") expect(await update(`after ${name}`)).toBe("steps");
    }
  });
});
