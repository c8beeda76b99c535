/** The systemd units of docs/guides/operate.md: their rating, and whether the server works with their restrictions. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { canBeMade, Machine } from "../host/machine/machine.js";
import { plainRows, writeUsers } from "../support/database.js";
import { docPage } from "../support/docs.js";
import { scratch } from "../support/files.js";
import { isMissing } from "../support/installed.js";
import { ask, freshDist } from "./running.js";
import { keepService, SERVICE_NEEDS } from "./service.js";

const UNITS = ["rollcall-serve.socket", "rollcall-serve.service"] as const;

const SET_UP = docPage("docs/guides/operate.md").block("As a service");

/** The text of a unit, as the set-up writes it. */
function unitText(name: string): string {
  const [, text = ""] = new RegExp(`> /etc/systemd/system/${name} <<'END'\\n([^]*?)END\\n`).exec(SET_UP) ?? [];
  expect(text).not.toBe("");
  return text;
}

test.skipIf(!canBeMade || isMissing("nsenter", "systemd-analyze"))(
  "systemd-analyze rates the units as safe",
  { timeout: 300_000 },
  async () => {
    const machine = await Machine.open();
    const source = writeUsers(join(scratch(), "users.sqlite"), plainRows(3));
    machine.run(`mkdir -p /srv/directory && cp ${source} /srv/directory/users.sqlite\n${SET_UP}`);
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
  "the server needs no system call and no socket that the units forbid",
  async () => {
    const trace = join(scratch(), "trace");
    const dist = await freshDist({ encodings: ["gzip"] });
    // The tracer is not the server's parent, so the handed-over descriptor is for the server.
    const within = ["strace", "--daemonize=pgroup", "--follow-forks", "--quiet=all", "--output", trace];
    const service = await keepService([dist, "--cache-mb", "0"], { within });
    await service.start();
    expect(await service.told()).toBe("READY=1");
    for (const path of ["/api/users/?page=1", "/api/users/?page=99", "/snapshot.json", "/SHA256SUMS"])
      expect((await ask(service.port, path)).status).toBeGreaterThan(0);
    service.kill("SIGHUP");
    service.kill("SIGTERM");
    expect(await service.ended()).toBe(0);

    const calls = readFileSync(trace, "utf8");
    const unit = unitText(UNITS[1]);
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
