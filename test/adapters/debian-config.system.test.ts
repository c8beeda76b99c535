/** Each server accepts its written file within the configuration of Debian's package, as docs/hosts.md says. */
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { publish } from "../server/release.js";
import { scratch } from "../support/files.js";
import { findProgram, isMissing } from "../support/installed.js";
import { filesFor } from "./servers.js";

/** The host, the package's file, the line that includes ours unless both are arguments, and the arguments of a check. */
const JOINED: [
  host: string,
  main: string,
  line: (ours: string) => string,
  args: (whole: string, ours: string) => string[],
][] = [
  ["lighttpd", "/etc/lighttpd/lighttpd.conf", (ours) => `include "${ours}"\n`, (whole) => ["-tt", "-f", whole]],
  [
    "caddy",
    "/etc/caddy/Caddyfile",
    (ours) => `import ${ours}\n`,
    (whole) => ["adapt", "--adapter", "caddyfile", "--config", whole],
  ],
  ["haproxy", "/etc/haproxy/haproxy.cfg", () => "", (whole, ours) => ["-c", "-f", whole, "-f", ours]],
];

for (const [host, main, line, args] of JOINED) {
  test.skipIf(isMissing(host, main))(`${host} reads ${main} with what was written for it`, async () => {
    const folder = scratch();
    const files = await filesFor(host, await publish(folder), { folder });
    for (const [path, text] of files) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    const whole = join(folder, "main.conf");
    const ours = join(folder, [...files.keys()][0] ?? "");
    writeFileSync(whole, readFileSync(main, "utf8") + line(ours));
    const { status, stderr } = spawnSync(findProgram(host) ?? host, args(whole, ours), {
      encoding: "utf8",
      env: { ...process.env, HOME: folder },
    });
    expect([status, status === 0 ? "" : stderr]).toEqual([0, ""]);
  });
}
