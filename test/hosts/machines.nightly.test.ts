/** Hosts on their own machines, set up as in docs/reference/hosts.md: switches during reads, https, and several listings on one server. */
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { hostOf } from "../../src/hosts/hosts.js";
import { openRelease } from "../../src/index.js";
import { CURRENT } from "../../src/release/layout.js";
import { plainRows, writeUsers } from "../support/database.js";
import { isMissing } from "../support/installed.js";
import { until } from "../support/until.js";
import { canBeMade, Machine, Readers } from "./machine/machine.js";

const DOC = readFileSync(new URL("../../docs/reference/hosts.md", import.meta.url), "utf8");
const BASE_URL = "http://directory.example.com";
const PLACE = "/srv/directory";
const USERS = 250;

/** Each adapter, and the unit of its host, which is called as the program is. */
const HOSTS: [adapter: string, unit: string][] = [
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

test
  .skipIf(!canBeMade || isMissing("nsenter", "ip", "curl", "systemd-analyze"))
  .each(HOSTS.filter(([, unit]) => !isMissing(unit)))(
  "%s is set up, and changes its release under load, as the docs say",
  async (adapter, unit) => {
    const { title } = hostOf(adapter);
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
    const limitations = Object.keys(hostOf(adapter).limitations ?? {}).filter((name) => !name.startsWith("part-"));
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
  await until(() => machine.run(other) === "");
}

const NAME = "directory.example.com";
const CERTIFICATES = `/etc/letsencrypt/live/${NAME}`;

/** What an administrator does: takes the example in, and reloads. */
const WITH_TLS: [adapter: string, takeIn: string][] = [
  [
    "nginx",
    `rollcall host nginx --write /etc/nginx/conf.d
     sed -i -E 's/^  # (listen|ssl_)/  \\1/' /etc/nginx/conf.d/rollcall.conf
     nginx -t && systemctl reload nginx`,
  ],
  [
    "caddy",
    `rollcall host caddy --write /etc/caddy
     mkdir -p /etc/ssl/private && cp ${CERTIFICATES}/fullchain.pem /etc/ssl/certs/${NAME}.pem
     cp ${CERTIFICATES}/privkey.pem /etc/ssl/private/${NAME}.key
     chmod 755 /etc/ssl/private && chmod 644 /etc/ssl/private/${NAME}.key
     sed -i -E 's/^\\t# tls/\\ttls/; s/^http:(.*):80 /https:\\1 /' /etc/caddy/rollcall.caddy
     printf '\\nimport rollcall.caddy\\n' >> /etc/caddy/Caddyfile
     systemctl reload caddy`,
  ],
];

test
  .skipIf(!canBeMade || isMissing("nsenter", "ip", "curl", "openssl"))
  .each(WITH_TLS.filter(([unit]) => !isMissing(unit, "nginx")))(
  "%s answers https with the example's lines",
  async (adapter, takeIn) => {
    const machine = await Machine.open();
    const folder = join(machine.srv, "directory");
    mkdirSync(folder);
    writeUsers(join(folder, "users.sqlite"), plainRows(3));
    machine.run(`mkdir -p ${CERTIFICATES} && cd ${CERTIFICATES}
      openssl req -x509 -newkey rsa:2048 -noenc -subj /CN=${NAME} -addext subjectAltName=DNS:${NAME} -keyout privkey.pem -out fullchain.pem`);
    machine.run(`systemctl start ${adapter}`);
    machine.run(
      `rollcall build --db users.sqlite --base-url http://${NAME} --adapt ${adapter}\n${takeIn}`,
      "/srv/directory",
    );
    const ask = `curl -sS --cacert ${CERTIFICATES}/fullchain.pem https://${NAME}/api/users/ || true`;
    await until(() => machine.run(ask).includes('"count":3'));
  },
);

/** By the name of its folder in /srv. */
const LISTINGS = {
  one: "http://one.test",
  two: "http://two.test",
  left: "http://both.test/left",
  right: "http://both.test/right",
};
type Listing = keyof typeof LISTINGS;
const NAMES = Object.keys(LISTINGS) as Listing[];
const LISTED = 3;

interface Server {
  /** Its unit and its program are called the same. */
  adapter: string;
  /** Joins the listings to what the package has set up: a script for root. */
  join: string;
}

const SERVERS: readonly Server[] = [
  {
    adapter: "nginx",
    join: `
      for each in one two left; do
        rollcall host nginx /srv/$each/dist --write /etc/nginx/$each
        ln -s /etc/nginx/$each/rollcall.conf /etc/nginx/sites-enabled/$each
      done
      sed -i 's|^ *include .*;$|&\\n&|; s|/srv/left\\(.*\\n.*\\)/srv/left|/srv/left\\1/srv/right|' /etc/nginx/left/rollcall.conf
      nginx -t && systemctl reload nginx`,
  },
  {
    adapter: "caddy",
    join: `
      for each in one two left; do
        rollcall host caddy /srv/$each/dist --write /etc/caddy/$each
        printf '\\nimport %s/rollcall.caddy\\n' $each >> /etc/caddy/Caddyfile
      done
      sed -i 's|^\\timport /srv/left/\\(.*\\)|&\\n\\timport /srv/right/\\1|' /etc/caddy/left/rollcall.caddy
      systemctl reload caddy`,
  },
];

test
  .skipIf(!canBeMade || isMissing("nsenter", "ip", "curl"))
  .each(SERVERS.filter(({ adapter }) => !isMissing(adapter, "nginx")))(
  "$adapter",
  async ({ adapter, join: script }) => {
    const machine = await Machine.open();
    const hosts = "one.test two.test both.test other.test";
    machine.run(`printf '127.0.0.1 ${hosts}\\n::1 ${hosts}\\n' >> /etc/hosts`);

    const build = (listing: Listing, bio: string) => {
      const folder = join(machine.srv, listing);
      mkdirSync(folder, { recursive: true });
      rmSync(join(folder, "users.sqlite"), { force: true });
      writeUsers(
        join(folder, "users.sqlite"),
        plainRows(LISTED).map((row) => ({ ...row, bio: `${bio} of ${listing}` })),
      );
      const config = {
        db: "users.sqlite",
        baseUrl: LISTINGS[listing],
        pageSize: 1,
        adapt: [adapter],
        explorer: true,
      };
      writeFileSync(join(folder, "rollcall.config.json"), JSON.stringify(config));
      machine.run("rollcall build", `/srv/${listing}`);
    };
    /** What each listing has to answer, on IPv4 and IPv6. */
    const expected = async () => {
      const all = NAMES.map(async (listing) => {
        const { snapshot, sums } = await openRelease(join(machine.srv, listing, "dist", CURRENT));
        return Array.from({ length: LISTED }, (_, at) => {
          const digest = sums.pages.get(at + 1, "identity");
          return [4, 6].map((family) => `${listing} ${at + 1} IPv${family}: 200 ${snapshot.id} "${digest}" ${digest}`);
        });
      });
      return (await Promise.all(all)).flat(2);
    };
    const answered = () =>
      NAMES.flatMap((listing) =>
        Array.from({ length: LISTED }, (_, at) =>
          [4, 6].map((family) => {
            const url = `${LISTINGS[listing]}/api/users/?format=api&page=${at + 1}`;
            return `${listing} ${at + 1} IPv${family}: ${ask(machine, family, url)}`;
          }),
        ),
      ).flat();

    const settle = async () => {
      const wanted = JSON.stringify(await expected());
      await until(() => JSON.stringify(answered()) === wanted);
    };

    for (const listing of NAMES) build(listing, "first");
    machine.run(`systemctl start ${adapter}`);
    machine.run(script);
    await settle();
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
    expect(ask(machine, 4, "http://other.test/")).toMatch(/^200 - /);

    for (const listing of ["two", "right"] as const) build(listing, "second");
    machine.run(`systemctl reload ${adapter}`);
    await settle();
  },
);

/** The status, the id, the tag and the body's digest, with `-` for what is not there. */
function ask(machine: Machine, family: number, url: string, flags = ""): string {
  const [head = "", ...body] = machine.run(`curl -sS -i -${family} ${flags} '${url}'`).split("\r\n\r\n");
  const header = (name: string) => new RegExp(`^${name}: (.*)$`, "im").exec(head)?.[1]?.trim() ?? "-";
  const digest = createHash("sha256").update(body.join("\r\n\r\n")).digest("hex");
  return `${head.split(" ")[1]} ${header("snapshot-id")} ${header("etag")} ${digest}`;
}
