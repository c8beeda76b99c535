/** The lines for https that a site's file has as an example, taken in with a certificate: the listing is read over TLS. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { plainRows, writeUsers } from "../support/database.js";
import { isMissing } from "../support/installed.js";
import { canBeMade, Machine } from "./machine/machine.js";

const NAME = "directory.example.com";
const CERTIFICATES = `/etc/letsencrypt/live/${NAME}`;

/** What an administrator does: takes the example in, and reloads. */
const HOSTS: [adapter: string, unit: string, takeIn: string][] = [
  [
    "nginx",
    "nginx",
    `rollcall adapt nginx --write /etc/nginx/conf.d
     sed -i -E 's/^  # (listen|ssl_)/  \\1/' /etc/nginx/conf.d/rollcall.conf
     nginx -t && systemctl reload nginx`,
  ],
  [
    "apache",
    "apache2",
    `rollcall adapt apache --write /etc/apache2/sites-available
     sed -i -E 's/^  # (SSL)/  \\1/; s/:80>/:443>/' /etc/apache2/sites-available/rollcall.conf
     a2enmod -q ssl rewrite headers && a2ensite -q rollcall && apachectl configtest
     systemctl reload apache2`,
  ],
  [
    "caddy",
    "caddy",
    `rollcall adapt caddy --write /etc/caddy
     mkdir -p /etc/ssl/private && cp ${CERTIFICATES}/fullchain.pem /etc/ssl/certs/${NAME}.pem
     cp ${CERTIFICATES}/privkey.pem /etc/ssl/private/${NAME}.key
     chmod 755 /etc/ssl/private && chmod 644 /etc/ssl/private/${NAME}.key
     sed -i -E 's/^\\t# tls/\\ttls/; s/^http:(.*):80 /https:\\1 /' /etc/caddy/rollcall.caddy
     printf '\\nimport rollcall.caddy\\n' >> /etc/caddy/Caddyfile
     systemctl reload caddy`,
  ],
  [
    "haproxy",
    "haproxy",
    `echo 'server { listen 127.0.0.1:8081; root /srv/directory/dist; }' > /etc/nginx/conf.d/origin.conf
     rm /etc/nginx/sites-enabled/default && systemctl start nginx
     rollcall adapt haproxy --listen-port 80 --write /etc/haproxy
     cat ${CERTIFICATES}/*.pem > /etc/haproxy/${NAME}.pem
     sed -i -E 's/^  # bind/  bind/' /etc/haproxy/rollcall.cfg
     echo 'EXTRAOPTS="-S /run/haproxy-master.sock -f /etc/haproxy/rollcall.cfg -f /srv/directory/dist/current/adapters/haproxy.cfg"' >> /etc/default/haproxy
     systemctl restart haproxy`,
  ],
];

test
  .skipIf(!canBeMade || isMissing("nsenter", "ip", "curl", "openssl"))
  .each(HOSTS.filter(([, unit]) => !isMissing(unit, "nginx")))(
  "%s answers https with the example's lines",
  { timeout: 180_000 },
  async (adapter, unit, takeIn) => {
    const machine = await Machine.open();
    const folder = join(machine.srv, "directory");
    mkdirSync(folder);
    writeUsers(join(folder, "users.sqlite"), plainRows(3));
    machine.run(`mkdir -p ${CERTIFICATES} && cd ${CERTIFICATES}
      openssl req -x509 -newkey rsa:2048 -noenc -subj /CN=${NAME} -addext subjectAltName=DNS:${NAME} -keyout privkey.pem -out fullchain.pem`);
    machine.run(`systemctl start ${unit}`);
    machine.run(
      `rollcall build --db users.sqlite --base-url http://${NAME} --adapt ${adapter}\n${takeIn}`,
      "/srv/directory",
    );
    const ask = `curl -sS --cacert ${CERTIFICATES}/fullchain.pem https://${NAME}/api/users/ || true`;
    await expect.poll(() => machine.run(ask), { timeout: 60_000 }).toContain('"count":3');
  },
);
