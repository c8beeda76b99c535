/** Several listings on one server, beside the site of its package: two with names of their own, and two on one name. None answers for another. */
import { createHash } from "node:crypto";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openRelease } from "../../src/index.js";
import { CURRENT } from "../../src/release/layout.js";
import { plainRows, writeUsers } from "../support/database.js";
import { isMissing } from "../support/installed.js";
import { canBeMade, Machine } from "./machine/machine.js";

/** By the name of its folder in /srv. */
const LISTINGS = {
  one: "http://one.test",
  two: "http://two.test",
  left: "http://both.test/left",
  right: "http://both.test/right",
};
type Listing = keyof typeof LISTINGS;
const NAMES = Object.keys(LISTINGS) as Listing[];
const PAGES = 3;

interface Server {
  adapter: string;
  /** Where it is not called as the adapter. */
  unit?: string;
  program: string;
  /** Joins the listings to what the package has set up: a script for root. */
  join: string;
  /** Whether the package's own site stays, for other names. */
  keepsOther: boolean;
  /** It takes up a new release without being told. */
  looksItself?: true;
}

const SERVERS: readonly Server[] = [
  {
    adapter: "nginx",
    program: "nginx",
    keepsOther: true,
    join: `
      for each in one two left; do
        rollcall adapt nginx /srv/$each/dist --write /etc/nginx/$each
        ln -s /etc/nginx/$each/rollcall.conf /etc/nginx/sites-enabled/$each
      done
      sed -i 's|^ *include .*;$|&\\n&|; s|/srv/left\\(.*\\n.*\\)/srv/left|/srv/left\\1/srv/right|' /etc/nginx/left/rollcall.conf
      nginx -t && systemctl reload nginx`,
  },
  {
    adapter: "apache",
    unit: "apache2",
    program: "apache2",
    keepsOther: true,
    join: `
      for each in one two left; do
        rollcall adapt apache /srv/$each/dist --write /etc/apache2/$each
        ln -s /etc/apache2/$each/rollcall.conf /etc/apache2/sites-enabled/$each.conf
      done
      sed -i 's|^  Include "/srv/left/\\(.*\\)|&\\n  Include "/srv/right/\\1|' /etc/apache2/left/rollcall.conf
      a2enmod -q rewrite headers && apachectl configtest && systemctl reload apache2`,
  },
  {
    adapter: "lighttpd",
    program: "lighttpd",
    keepsOther: true,
    looksItself: true,
    join: `
      for each in one two left right; do
        rollcall adapt lighttpd /srv/$each/dist --write /etc/lighttpd/$each
        ln -s /etc/lighttpd/$each/rollcall.conf /etc/lighttpd/conf-enabled/$each.conf
      done
      ln -s ../conf-available/10-magnet.conf /etc/lighttpd/conf-enabled/
      lighttpd -tt -f /etc/lighttpd/lighttpd.conf && systemctl reload lighttpd`,
  },
  {
    adapter: "caddy",
    program: "caddy",
    keepsOther: true,
    join: `
      for each in one two left; do
        rollcall adapt caddy /srv/$each/dist --write /etc/caddy/$each
        printf '\\nimport %s/rollcall.caddy\\n' $each >> /etc/caddy/Caddyfile
      done
      sed -i 's|^\\timport /srv/left/\\(.*\\)|&\\n\\timport /srv/right/\\1|' /etc/caddy/left/rollcall.caddy
      systemctl reload caddy`,
  },
  {
    adapter: "haproxy",
    program: "haproxy",
    keepsOther: false,
    join: `
      echo 'server { listen 127.0.0.1:8081; root /srv; }' > /etc/nginx/conf.d/origin.conf
      rm /etc/nginx/sites-enabled/default && systemctl start nginx
      cd /srv/one && rollcall adapt haproxy --listen-port 80 --write /etc/haproxy
      files='-f /etc/haproxy/rollcall.cfg -f /srv/one/dist/current/adapters/haproxy.cfg'
      for each in two left right; do
        cd /srv/$each && rollcall adapt haproxy --write /etc/haproxy/$each
        sed -i "/default_backend/e grep use_backend /etc/haproxy/$each/rollcall.cfg" /etc/haproxy/rollcall.cfg
        files+=" -f /srv/$each/dist/current/adapters/haproxy.cfg"
      done
      echo "EXTRAOPTS=\\"-S /run/haproxy-master.sock $files\\"" >> /etc/default/haproxy
      haproxy -c -q -f /etc/haproxy/haproxy.cfg $files && systemctl restart haproxy`,
  },
];

test
  .skipIf(!canBeMade || isMissing("nsenter", "ip", "curl"))
  .each(SERVERS.filter(({ program }) => !isMissing(program, "nginx")))(
  "$adapter",
  { timeout: 180_000 },
  async ({ adapter, unit = adapter, join: script, keepsOther, looksItself }) => {
    const machine = await Machine.open();
    const hosts = "one.test two.test both.test other.test";
    machine.run(`printf '127.0.0.1 ${hosts}\\n::1 ${hosts}\\n' >> /etc/hosts`);

    const build = (listing: Listing, bio: string) => {
      const folder = join(machine.srv, listing);
      mkdirSync(folder, { recursive: true });
      rmSync(join(folder, "users.sqlite"), { force: true });
      writeUsers(
        join(folder, "users.sqlite"),
        plainRows(PAGES).map((row) => ({ ...row, bio: `${bio} of ${listing}` })),
      );
      const origin = `http://127.0.0.1:8081/${listing}/dist`;
      const config = {
        db: "users.sqlite",
        baseUrl: LISTINGS[listing],
        pageSize: 1,
        adapt: [adapter],
        origin,
        explorer: true,
      };
      writeFileSync(join(folder, "rollcall.config.json"), JSON.stringify(config));
      machine.run("rollcall build", `/srv/${listing}`);
    };
    /** What each listing has to answer, on IPv4 and IPv6. */
    const expected = async () => {
      const all = NAMES.map(async (listing) => {
        const { snapshot, sums } = await openRelease(join(machine.srv, listing, "dist", CURRENT));
        return Array.from({ length: PAGES }, (_, at) => {
          const digest = sums.pages.get(at + 1, "identity");
          return [4, 6].map((family) => `${listing} ${at + 1} IPv${family}: 200 ${snapshot.id} "${digest}" ${digest}`);
        });
      });
      return (await Promise.all(all)).flat(2);
    };
    const answered = () =>
      NAMES.flatMap((listing) =>
        Array.from({ length: PAGES }, (_, at) =>
          [4, 6].map((family) => {
            const url = `${LISTINGS[listing]}/api/users/?format=api&page=${at + 1}`;
            return `${listing} ${at + 1} IPv${family}: ${ask(machine, family, url)}`;
          }),
        ),
      ).flat();

    for (const listing of NAMES) build(listing, "first");
    machine.run(`systemctl start ${unit}`);
    machine.run(script);
    await expect.poll(answered, { timeout: 30_000 }).toEqual(await expected());
    // A redirect and an error have no tag, and are of the listing whose path was asked for.
    for (const listing of NAMES) {
      const { snapshot, sums } = await openRelease(join(machine.srv, listing, "dist", CURRENT));
      for (const [path, status] of [
        ["/api/users?page=2", 301],
        ["/api/users/?page=9", 404],
        ["/nothing", 404],
        // At the root of a name there is no path without a slash.
        ...(new URL(LISTINGS[listing]).pathname === "/" ? [] : [["", 301] as const]),
      ] as const)
        expect(ask(machine, 4, LISTINGS[listing] + path)).toContain(`${status} ${snapshot.id} - `);
      expect(ask(machine, 4, `${LISTINGS[listing]}/api/users/`, "-X PUT")).toContain(`405 ${snapshot.id} - `);
      const page = sums.others.get("index.html");
      expect(ask(machine, 4, `${LISTINGS[listing]}/`)).toBe(`200 ${snapshot.id} "${page}" ${page}`);
    }
    if (keepsOther) expect(ask(machine, 4, "http://other.test/")).toMatch(/^200 - /);

    for (const listing of ["two", "right"] as const) build(listing, "second");
    if (!looksItself) machine.run(`systemctl reload ${unit}`);
    await expect.poll(answered, { timeout: 30_000 }).toEqual(await expected());
  },
);

/** The status, the id, the tag and the body's digest, with `-` for what is not there. */
function ask(machine: Machine, family: number, url: string, flags = ""): string {
  const [head = "", ...body] = machine.run(`curl -sS -i -${family} ${flags} '${url}'`).split("\r\n\r\n");
  const header = (name: string) => new RegExp(`^${name}: (.*)$`, "im").exec(head)?.[1]?.trim() ?? "-";
  const digest = createHash("sha256").update(body.join("\r\n\r\n")).digest("hex");
  return `${head.split(" ")[1]} ${header("snapshot-id")} ${header("etag")} ${digest}`;
}
