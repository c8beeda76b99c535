/** nginx, Apache and Caddy on machines of their own: set up as docs/reference/hosts.md says, they follow releases without a reload. */
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { hostOf } from "../../src/host/hosts.js";
import { plainRows, writeUsers } from "../support/database.js";
import { isMissing } from "../support/installed.js";
import { until } from "../support/until.js";
import { canBeMade, Machine } from "./machine/machine.js";

const DOC = readFileSync(new URL("../../docs/reference/hosts.md", import.meta.url), "utf8");
const BASE_URL = "http://directory.example.com";

/** Each host, and the unit of its package, which is called as its program is. */
const HOSTS: [host: string, unit: string][] = [
  ["nginx", "nginx"],
  ["apache", "apache2"],
  ["caddy", "caddy"],
];

/** The first block of commands below a heading. */
function commandsBelow(heading: string): string {
  const [, section = ""] = DOC.split(`\n${heading}\n`);
  const [, commands] = /^```sh\n(.*?)^```$/ms.exec(section) ?? [];
  return commands ?? expect.fail(`docs/reference/hosts.md has no commands below "${heading}".`);
}

test.skipIf(!canBeMade || isMissing("nsenter", "ip", "curl")).each(HOSTS.filter(([, unit]) => !isMissing(unit)))(
  "%s is set up, and follows releases, as the docs say",
  async (host, unit) => {
    const { title } = hostOf(host);
    const machine = await Machine.open();
    const folder = join(machine.srv, "directory");
    mkdirSync(folder);
    const write = (bio: string) => {
      machine.run("rm -f /srv/directory/users.sqlite");
      const rows = plainRows(250).map((row) => ({ ...row, bio }));
      writeUsers(join(folder, "users.sqlite"), rows);
    };
    const isServed = (bio: string) =>
      machine.run(`curl -sS --compressed ${BASE_URL}/api/users/?page=3`).includes(`"bio":"${bio}"`);
    write("first");
    machine.run(`systemctl start ${unit}`);
    const setUp = commandsBelow("## Set up a site") + commandsBelow(`### ${title}`);
    machine.run(setUp, "/srv");
    // A second run of every line does no harm.
    machine.run(setUp, "/srv");
    await until(() => isServed("first"));
    write("second");
    machine.run("rollcall build", "/srv/directory");
    expect(isServed("second")).toBe(true);
    machine.run("rollcall use previous", "/srv/directory");
    expect(isServed("first")).toBe(true);
    machine.run(`rollcall verify ${BASE_URL} --adapt ${host}`, "/srv/directory");
  },
);
