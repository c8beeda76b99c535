/** The Python mirror of docs/guides/read.md: after every step and fault it holds the published records or those from before. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync, gzipSync } from "node:zlib";
import Database from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import { sha256 } from "../../src/core/release/plain-files.js";
import { build } from "../../src/index.js";
import { whenEnded } from "../support/command.js";
import { docPage } from "../support/docs.js";
import { scratch } from "../support/files.js";
import { isMissing } from "../support/installed.js";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const SCRIPT = docPage("docs/guides/read.md").block("A mirror in Python", "python");

type Way = "nothing" | "steps" | "everything" | "refused";

/** Another answer than the file, if it is there. */
type Fault = (path: string, file: Buffer | undefined, read: (path: string) => Buffer) => Buffer | undefined;

const isStep = (path: string) => path.startsWith("/changes/");
const isPart = (path: string) => path.startsWith("/bulk/");
const isBoth = (path: string) => isStep(path) || isPart(path);
const isList = (path: string) => path === "/changes.json";
const cut = (right: Buffer) => right.subarray(0, -9);

const only =
  (isMeant: (path: string) => boolean, change: (right: Buffer) => Buffer | undefined): Fault =>
  (path, file) =>
    file && isMeant(path) ? change(file) : file;

/** Files with other lines, and lists that say that these are right. */
function withLines(isMeant: (path: string) => boolean, edit: (lines: string[]) => string[]): Fault {
  const edited = (file: Buffer) => {
    const lines = gunzipSync(file).toString().split("\n").slice(0, -1);
    return Buffer.from(edit(lines).join("\n").concat("\n"));
  };
  return (path, file, read) => {
    if (file && isMeant(path)) return gzipSync(edited(file));
    const name = { "/changes.json": "steps", "/bulk.json": "parts" }[path];
    if (!file || name === undefined) return file;
    const list = JSON.parse(String(file));
    for (const entry of list[name])
      if (isMeant(`/${entry.file}`)) entry.sha256 = sha256(edited(read(`/${entry.file}`)));
    return Buffer.from(JSON.stringify(list));
  };
}

/** What goes wrong where a step is needed, and what is read then. */
const FAULTS: readonly [name: string, fault: Fault, then: Way][] = [
  ["no list", only(isList, () => undefined), "everything"],
  ["a list that is none", only(isList, () => Buffer.from("[]")), "everything"],
  ["no step", only(isStep, () => undefined), "everything"],
  ["a cut step", only(isStep, cut), "everything"],
  ["another step", only(isStep, () => gzipSync('{"remove":"1"}\n')), "everything"],
  ["a line less", withLines(isStep, (lines) => lines.slice(1)), "everything"],
  ["nobody removed", withLines(isStep, (lines) => [...lines, '{"remove":"nobody"}']), "steps"],
  ["lines twice, and backwards", withLines(isStep, (lines) => [...lines, ...lines].reverse()), "steps"],
  ["a record that is none", withLines(isStep, (lines) => [...lines, '{"put":{}}']), "everything"],
  ["lines that are none", withLines(isStep, (lines) => [...lines, "[", "7"]), "everything"],
  ["no part either", only(isBoth, () => undefined), "refused"],
  ["a cut part, too", only(isBoth, cut), "refused"],
  ["a line less in parts, too", withLines(isBoth, (lines) => lines.slice(1)), "refused"],
];

test.skipIf(isMissing("/usr/bin/python3"))(
  "it is right or what it was, whatever goes wrong on the way",
  { timeout: 300_000 },
  async () => {
    const [folder, dist] = [scratch(), scratch()];
    const [db, program, file] = ["source.sqlite", "mirror.py", "mirror.sqlite"].map((name) => join(folder, name));
    copyFileSync(join(ROOT, "data/users.sqlite"), `${db}`);
    writeFileSync(`${program}`, SCRIPT);
    const query = (path: string, sql: string) => {
      const opened = new Database(path, { readonly: true });
      const rows = opened.prepare<[], string>(sql).pluck().all();
      opened.close();
      return rows;
    };
    const read = (path: string) => readFileSync(join(dist, "current", path));
    let fault: Fault = (_path, right) => right;
    let asked: string[] = [];
    const server = createServer((req, res) => {
      const path = req.url ?? "";
      asked.push(path);
      const body = fault(path, existsSync(join(dist, "current", path)) ? read(path) : undefined, read);
      res.writeHead(body ? 200 : 404, { Connection: "close" }).end(body ?? "{}");
    }).listen(0, "127.0.0.1");
    onTestFinished(() => void server.close());
    await once(server, "listening");
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

    let version = 0;
    const publish = () => {
      const source = new Database(`${db}`);
      const text = `'"' || char(9, 10, 13, 0, 8232, 65279, 128512) || '\\u0041' || ${version++}`;
      source.exec(`UPDATE users SET bio = ${text} WHERE rowid < 4; DELETE FROM users WHERE rowid = ${900 + version}`);
      source.close();
      return build({ db: `${db}`, dist, baseUrl, bulk: true, changes: 3 });
    };
    const records = () => {
      const texts: string[] = [];
      for (let page = 1; existsSync(join(dist, `current/api/users/pages/${page}.json`)); page++)
        texts.push(
          ...String(read(`api/users/pages/${page}.json`))
            .split("\n")
            .slice(1, -2),
        );
      return texts.map((line) => line.replace(/,$/, ""));
    };
    const held = () =>
      existsSync(`${file}`) ? query(`${file}`, "SELECT record FROM records ORDER BY place0 DESC, place1") : undefined;

    /** Runs the program. It must hold what is current, or say why not and hold what it did. */
    const update = async (what: string, given: Fault = (_path, right) => right): Promise<Way> => {
      const before = held();
      [fault, asked] = [given, []];
      const { code, stderr } = await whenEnded(spawn("/usr/bin/python3", [`${program}`, baseUrl, `${file}`]));
      if (code !== 0) {
        expect(stderr, what).toContain("The copy stays as it was");
        expect(held(), what).toEqual(before);
        return "refused";
      }
      expect(held(), what).toEqual(records());
      if (asked.some(isPart)) return "everything";
      return asked.length === 1 ? "nothing" : "steps";
    };
    await publish();
    expect(await update("first")).toBe("everything");
    expect(await update("again")).toBe("nothing");
    for (const [name, given, then] of FAULTS) {
      await publish();
      expect(await update(name, given), name).toBe(then);
      if (then === "refused") expect(await update(`after ${name}`)).toBe("steps");
    }
    for (let times = 0; times < 5; times++) await publish();
    expect(await update("too far behind")).toBe("everything");
  },
);
