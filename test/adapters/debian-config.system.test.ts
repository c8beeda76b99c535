/** Each server accepts its written file within the configuration of Debian's package, as docs/hosts.md says. */
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import type { HostedSiteOptions } from "../../src/adapters/rules/deployment.js";
import { publish } from "../server/release.js";
import { scratch } from "../support/files.js";
import { findProgram, isMissing } from "../support/installed.js";
import { filesFor } from "./servers.js";

interface Joined {
  host: string;
  /** The package's file. */
  main: string;
  /** What the adapter is given, beside the release. */
  options?: HostedSiteOptions;
  /** What joins the site's file to the package's one, unless both are arguments. */
  line?(site: string): string;
  /** The arguments of a check. */
  args(whole: string, site: string, included: string): string[];
}

const JOINED: readonly Joined[] = [
  {
    host: "lighttpd",
    main: "/etc/lighttpd/lighttpd.conf",
    line: (site) => `include "${site}"\n`,
    args: (whole) => ["-tt", "-f", whole],
  },
  {
    host: "caddy",
    main: "/etc/caddy/Caddyfile",
    line: (site) => `import ${site}\n`,
    args: (whole) => ["adapt", "--adapter", "caddyfile", "--config", whole],
  },
  {
    host: "haproxy",
    main: "/etc/haproxy/haproxy.cfg",
    options: { listenPort: 8080 },
    args: (whole, site, included) => ["-c", "-f", whole, "-f", site, "-f", included],
  },
  {
    host: "haproxy",
    main: "/etc/haproxy/haproxy.cfg",
    line: (site) => `frontend web\n  bind :8080\n${readFileSync(site, "utf8")}`,
    args: (whole, _site, included) => ["-c", "-f", whole, "-f", included],
  },
];

for (const { host, main, options = {}, line = () => "", args } of JOINED) {
  const given = JSON.stringify(options);
  test.skipIf(isMissing(host, main))(`${host} reads ${main} with what was written for it and ${given}`, async () => {
    const folder = scratch();
    const files = await filesFor(host, await publish(folder), { folder, ...options });
    for (const [path, text] of files) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    const whole = join(folder, "main.conf");
    const [ours = "", included = ""] = [...files.keys()].map((path) => join(folder, path));
    writeFileSync(whole, readFileSync(main, "utf8") + line(ours));
    const { status, stderr } = spawnSync(findProgram(host) ?? host, args(whole, ours, included), {
      encoding: "utf8",
      env: { ...process.env, HOME: folder },
    });
    expect([status, status === 0 ? "" : stderr]).toEqual([0, ""]);
  });
}
