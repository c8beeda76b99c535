/** nginx, Apache and Caddy on machines of their own: set up as docs/reference/hosts.md says, they follow releases without a reload. */
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { hostOf } from "../../src/hosts/hosts.js";
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

/** A block of code below one of a host's bold words: `**Set-up**`. */
function block(title: string, part: string): string {
  const section = DOC.split(/^### /m).find((text) => text.startsWith(`${title}\n`)) ?? "";
  const found = new RegExp(`\\*\\*${part}\\*\\*[^]*?\`\`\`\\w*\n([^]*?)\`\`\``).exec(section);
  if (!found?.[1]) throw new Error(`docs/reference/hosts.md has no block "${part}" for ${title}.`);
  return found[1];
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
    const setUp = block(title, "Set-up");
    machine.run(setUp, "/srv");
    // A second run of every line does no harm.
    machine.run(setUp, "/srv");
    await until(() => isServed("first"));
    const [build = "", back = ""] = block(title, "Each release").trim().split("\n");
    write("second");
    machine.run(build, "/srv/directory");
    expect(isServed("second")).toBe(true);
    machine.run(back, "/srv/directory");
    expect(isServed("first")).toBe(true);
    machine.run(`rollcall verify ${BASE_URL} --adapt ${host}`, "/srv/directory");
  },
);
