/** What is written goes into the configurations that Debian's packages bring, as docs/hosts.md has it: each server reads both. */
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { adapterOf } from "../../src/adapters/adapters.js";
import { openDeployment } from "../../src/adapters/rules/deployment.js";
import { openRelease } from "../../src/release/open.js";
import { publish } from "../server/release.js";
import { scratch } from "../support/files.js";
import { findProgram, isMissing } from "../support/installed.js";

/** Host, the package's file, the line that takes in ours (none where both are named), and how to have them read. */
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
    const target = adapterOf(host);
    const release = await openRelease(await publish(folder));
    const files = target.files(await openDeployment(release, target.siblings, { folder }));
    for (const { path, text } of files) writeFileSync(join(folder, path), text);
    const whole = join(folder, "main.conf");
    const ours = join(folder, files[0]?.path ?? "");
    writeFileSync(whole, readFileSync(main, "utf8") + line(ours));
    const { status, stderr } = spawnSync(findProgram(host) ?? host, args(whole, ours), {
      encoding: "utf8",
      env: { ...process.env, HOME: folder },
    });
    expect([status, status === 0 ? "" : stderr]).toEqual([0, ""]);
  });
}
