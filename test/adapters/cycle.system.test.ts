/** What docs/hosts.md says of five hosts is done as it stands there, on a machine of its own, while readers read. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { adapterOf } from "../../src/adapters/adapters.js";
import { limitationsOf } from "../../src/adapters/rules/adapter.js";
import { openRelease } from "../../src/index.js";
import { CURRENT } from "../../src/release/layout.js";
import { plainRows, writeUsers } from "../support/database.js";
import { isMissing } from "../support/installed.js";
import { canBeMade, Machine, Readers } from "./machine/machine.js";

const DOC = readFileSync(new URL("../../docs/hosts.md", import.meta.url), "utf8");
const BASE_URL = "http://directory.example.com";
const PLACE = "/srv/directory";
const USERS = 250;

/** Each adapter, and the unit of its host, which is called as the program is. */
const HOSTS: [adapter: string, unit: string][] = [
  ["nginx", "nginx"],
  ["apache", "apache2"],
  ["caddy", "caddy"],
  ["lighttpd", "lighttpd"],
  ["haproxy", "haproxy"],
];

/** A block of code below one of a host's bold words: `**Set-up**`. */
function block(title: string, part: string): string {
  const section = DOC.split(/^### /m).find((text) => text.startsWith(`${title}\n`)) ?? "";
  const found = new RegExp(`\\*\\*${part}\\*\\*[^]*?\`\`\`\\w*\n([^]*?)\`\`\``).exec(section);
  if (!found?.[1]) throw new Error(`docs/hosts.md has no block "${part}" for ${title}.`);
  return found[1];
}

test
  .skipIf(!canBeMade || isMissing("nsenter", "ip", "curl", "systemd-analyze"))
  .each(HOSTS.filter(([, unit]) => !isMissing(unit)))(
  "%s is set up, and changes its release under load, as the docs say",
  { timeout: 300_000 },
  async (adapter, unit) => {
    const { title } = adapterOf(adapter);
    const machine = await Machine.open();
    const dist = join(machine.srv, "directory/dist");
    const change = (bio: string) => {
      machine.run(`mkdir -p ${PLACE} && rm -f ${PLACE}/users.sqlite`);
      writeUsers(
        join(machine.srv, "directory/users.sqlite"),
        plainRows(USERS).map((row) => ({ ...row, bio })),
      );
    };
    const current = async () => (await openRelease(join(dist, CURRENT))).snapshot.id;

    machine.run(`systemctl start ${unit}`);
    change("first");
    const setUp = block(title, "Set-up");
    machine.run(setUp, "/srv");
    // A second run of every line does no harm.
    machine.run(setUp, "/srv");
    const ids = [await current()];
    await settled(machine, ids[0] ?? "");

    const readers = new Readers(machine, BASE_URL, Math.ceil(USERS / 100));
    const [cycle = "", back = ""] = block(title, "Each release").trim().split("\n");
    machine.run(block(title, "By itself"), PLACE);
    machine.run("systemd-analyze verify /etc/systemd/system/rollcall.service /etc/systemd/system/rollcall.timer");
    const switches: [bio: string | undefined, script: string][] = [
      ["second", cycle],
      ["third", cycle],
      [undefined, back],
      ["fourth", "systemctl start rollcall.service"],
    ];
    for (const [bio, script] of switches) {
      if (bio !== undefined) change(bio);
      await readers.expect("-");
      machine.run(script, PLACE);
      const id = await current();
      ids.push(id);
      await settled(machine, id);
      await readers.expect(id);
    }

    const verdict = JSON.parse(machine.run(`rollcall verify ${BASE_URL} --adapt ${adapter} --json`, PLACE));
    const allowed = verdict.rows.filter(({ outcome }: { outcome: string }) => outcome === "allowed");
    // The page's builds make no parts.
    const limitations = Object.keys(limitationsOf(adapterOf(adapter))).filter((name) => !name.startsWith("part-"));
    expect(allowed.map(({ name }: { name: string }) => name).sort()).toEqual(limitations.sort());

    const answers = await readers.stop();
    expect(new Set(ids).size).toBe(4);
    expect(ids[3]).toBe(ids[1]);
    const releases = new Map<string, Awaited<ReturnType<typeof openRelease>>>();
    for (const id of new Set(ids)) {
      const [name = ""] = machine.run(`ls dist/releases | grep ${id}`, PLACE).trim().split("\n");
      releases.set(id, await openRelease(join(dist, "releases", name)));
    }
    const wrong = answers.filter(({ failed, status, id = "", page = 0, coding, tag, isWhole, isStale }) => {
      const variant = coding === "br" || coding === "gzip" ? coding : "identity";
      const expected = releases.get(id)?.sums.pages.get(page, variant);
      return failed || (status !== 200 && status !== 304) || tag !== `"${expected}"` || !isWhole || isStale;
    });
    expect(wrong).toEqual([]);
    // Each release was read while it was current.
    expect(new Set(answers.map(({ id }) => id))).toEqual(new Set(ids));
  },
);

/** Waits until thirty new connections in a row are answered from a release. */
async function settled(machine: Machine, id: string): Promise<void> {
  const ask = `curl -sS -o /dev/null -D - ${BASE_URL}/api/users/`;
  const other = `for each in $(seq 30); do ${ask} | grep -qi "^snapshot-id: ${id}" || echo other; done`;
  await expect.poll(() => machine.run(other), { timeout: 60_000 }).toBe("");
}
