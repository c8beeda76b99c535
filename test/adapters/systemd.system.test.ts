/** The units that `rollcall adapt systemd` writes: what systemd says of them, and whether the server keeps within them. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { siteOf } from "../../src/adapters/rules/deployment.js";
import { systemd } from "../../src/adapters/systemd.js";
import { ask, freshDist } from "../server/running.js";
import { keepService, SERVICE_NEEDS } from "../server/service.js";
import { plainRows, writeUsers } from "../support/database.js";
import { blocksOf } from "../support/docs.js";
import { scratch } from "../support/files.js";
import { isMissing } from "../support/installed.js";
import { canBeMade, Machine } from "./machine/machine.js";

const DOC = readFileSync(new URL("../../docs/operating.md", import.meta.url), "utf8");
const UNITS = ["rollcall-serve.socket", "rollcall-serve.service"] as const;

/** The two units as they are written, without their comments. */
function unitsOf(...given: Parameters<typeof siteOf>): Record<string, string> {
  const files = [systemd.site?.(siteOf(...given)) ?? []].flat();
  return Object.fromEntries(files.map(({ path, text }) => [path, text]));
}

test("they are the socket and the service, by where readers come and where releases are", () => {
  const units = unitsOf("http://directory.example.com", "/srv/directory/dist");
  expect(Object.keys(units)).toEqual(UNITS);
  expect(units[UNITS[0]]).toContain("\nListenStream=80\n");
  expect(units[UNITS[1]]).toContain('\nExecStart=rollcall serve "/srv/directory/dist"\n');
  const streamOf = (...given: Parameters<typeof siteOf>) => /^ListenStream=.*/m.exec(unitsOf(...given)[UNITS[0]] ?? "");
  const stream = (url: string, options: Parameters<typeof siteOf>[2]) => streamOf(url, "/srv", options)?.[0];
  expect(stream("https://directory.example.com", {})).toBe("ListenStream=127.0.0.1:8080");
  expect(stream("https://directory.example.com", { address: "::1", listenPort: 81 })).toBe("ListenStream=[::1]:81");
  expect(stream("http://directory.example.com:8081", { address: "127.0.0.1" })).toBe("ListenStream=127.0.0.1:8081");
  const other = unitsOf("http://a", '/srv/a b$c%d"e', { cacheControl: "public, max-age=5" })[UNITS[1]];
  expect(other).toContain('\nExecStart=rollcall serve "/srv/a b$$c%%d\\"e" --cache-control "public, max-age=5"\n');
  expect(other).toContain('\nBindReadOnlyPaths="/srv/a b$c%%d\\"e"\n');
});

test.skipIf(!canBeMade || isMissing("nsenter", "systemd-analyze")).each(["/srv/directory", '/srv/100% "of $HOME"'])(
  "systemd has nothing to say of them but that they are safe, in %s",
  { timeout: 300_000 },
  async (folder) => {
    const machine = await Machine.open();
    const source = writeUsers(join(scratch(), "users.sqlite"), plainRows(3));
    const [setUp = ""] = blocksOf(DOC, "As a service", "sh");
    expect(setUp).toContain("mkdir -p /srv/directory && cd /srv/directory\n");
    const place = `'${folder}'`;
    const script = setUp.replaceAll("/srv/directory", place);
    machine.run(`mkdir -p ${place} && cp ${source} ${place}/users.sqlite\n${script}`);
    const units = UNITS.map((unit) => join("/etc/systemd/system", unit)).join(" ");
    expect(machine.run(`systemd-analyze verify ${units} 2>&1`)).toBe("");
    const judged = machine.run(
      `systemd-analyze security --offline=yes --threshold=15 --no-pager ${units.split(" ")[1]}`,
    );
    expect(Number(/exposure level for \S+: ([\d.]+)/.exec(judged)?.[1])).toBeLessThanOrEqual(1.5);
  },
);

/** The names that a filter of the unit lets through, by systemd's own sets. */
function filtered(unit: string): Set<string> {
  const expand = (name: string): string[] => {
    if (!name.startsWith("@")) return [name];
    const listed = execFileSync("systemd-analyze", ["syscall-filter", name], { encoding: "utf8" });
    return [...listed.matchAll(/^ +([@\w-]+)$/gm)].flatMap(([, word = ""]) => expand(word));
  };
  const names = new Set<string>();
  for (const [, not, words = ""] of unit.matchAll(/^SystemCallFilter=(~?)(.*)$/gm))
    for (const name of words.split(" ").flatMap(expand)) not ? names.delete(name) : names.add(name);
  return names;
}

test.skipIf(isMissing("strace", "systemd-analyze", ...SERVICE_NEEDS))(
  "the server makes no system call and no socket that they forbid",
  async () => {
    const trace = join(scratch(), "trace");
    const dist = await freshDist({ encodings: ["gzip"] });
    // The tracer is no parent of the server, so that what is handed over is meant for the server.
    const within = ["strace", "--daemonize=pgroup", "--follow-forks", "--quiet=all", "--output", trace];
    const service = await keepService([dist, "--processes", "2", "--cache-mb", "0"], { within });
    await service.start();
    expect(await service.told()).toBe("READY=1");
    for (const path of ["/api/users/?page=1", "/api/users/?page=99", "/snapshot.json", "/SHA256SUMS"])
      expect((await ask(service.port, path)).status).toBeGreaterThan(0);
    service.kill("SIGHUP");
    service.kill("SIGTERM");
    expect(await service.ended()).toBe(0);

    const calls = readFileSync(trace, "utf8");
    const unit = unitsOf("http://directory.example.com", dist)[UNITS[1]] ?? "";
    const allowed = filtered(unit);
    const made = new Set(
      [...calls.matchAll(/^\d+ +(?:<\.\.\. )?([a-z]\w+)(?:\(| resumed)/gm)].map(([, name = ""]) => name),
    );
    expect(made.size).toBeGreaterThan(30);
    expect([...made].filter((name) => !allowed.has(name))).toEqual([]);
    const families = new Set([...calls.matchAll(/\bsocket(?:pair)?\((\w+)/g)].map(([, family]) => family));
    expect([...families]).toEqual([/^RestrictAddressFamilies=(.*)$/m.exec(unit)?.[1]]);
  },
);
