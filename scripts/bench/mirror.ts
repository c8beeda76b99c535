/** Updates copies after 1 % of a listing has changed: compares `rollcall mirror` with rsync of the pages. */
import { cpSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { has, measure, run, startServer } from "./processes.js";
import { type Bench, inTurns, type Row } from "./rounds.js";
import { changeOnePercent, makeSource, release } from "./sources.js";

const FLAGS = ["--compress", "gzip", "--bulk", "--changes", "1"];

interface Follower {
  name: string;
  /** Updates the copy at a path, and writes a report to another file. */
  command(copy: string, report: string): string[];
  megabytes(report: string): number;
}

export async function measureMirror({ users, rounds, rollcalls, folder }: Bench): Promise<Row[]> {
  if (!has("/usr/bin/time", "mirror", "time")) return [];
  const db = await makeSource(folder, users);
  const dists = rollcalls.map((one) => ({ ...one, dist: join(folder, one.name) }));
  for (const { cli, dist } of dists) await release(cli, db, dist, ...FLAGS);
  const servers = await Promise.all(dists.map(({ cli, dist }) => startServer(serveCommand(cli, dist))));
  const followers = dists.map(({ name, cli }, at) => mirror(name, cli, servers[at]?.url ?? ""));
  if (has("rsync", "rsync")) followers.push(rsync(join(folder, "rollcall/current/api/users/pages/")));
  const [before, copy, report] = ["before", "copy", "report"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  mkdirSync(before);
  for (const { name, command } of followers) await run(command(join(before, name), report));
  changeOnePercent(db);
  for (const [at, { cli, dist }] of dists.entries()) {
    await release(cli, db, dist, ...FLAGS);
    const snapshot = readFileSync(join(dist, "current/snapshot.json"), "utf8");
    while ((await (await fetch(`${servers[at]?.url}/snapshot.json`)).text()) !== snapshot) await sleep(20);
  }
  return inTurns(
    followers.map(({ name, command, megabytes }) => ({
      name,
      prepare() {
        rmSync(copy, { recursive: true, force: true });
        cpSync(join(before, name), copy, { recursive: true, preserveTimestamps: true });
      },
      async run() {
        const measured = await measure(command(copy, report));
        return { ...measured, "MB moved": megabytes(readFileSync(report, "utf8")) };
      },
    })),
    rounds,
    { ratios: ["seconds"], to: "rollcall mirror" },
  );
}

function serveCommand(cli: string, dist: string): string[] {
  return [process.execPath, cli, "serve", dist, "--port", "0", "--json"];
}

function mirror(name: string, cli: string, url: string): Follower {
  const shell = 'exec "$0" "$1" mirror "$2" "$3" --json > "$4"';
  return {
    name: `${name} mirror`,
    command: (copy, report) => ["sh", "-c", shell, process.execPath, cli, url, copy, report],
    megabytes: (report) => JSON.parse(report).bytes / 1e6,
  };
}

/** Both ends run here, so the CPU seconds are of both. */
function rsync(pages: string): Follower {
  const shell = 'exec rsync -az --no-whole-file --delete --stats --exclude="*.gz" "$0" "$1/" > "$2"';
  return {
    name: "rsync -az of the plain pages, both ends",
    command: (copy, report) => ["sh", "-c", shell, pages, copy, report],
    megabytes(report) {
      const lines = [...report.matchAll(/^Total bytes (?:sent|received): ([\d,]+)$/gm)];
      return lines.reduce((sum, [, bytes = ""]) => sum + Number(bytes.replaceAll(",", "")), 0) / 1e6;
    },
  };
}
