/** docs/guides/operate.md: Prometheus accepts its files, the metrics are the server's, and its commands run. */
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { describe, expect, test } from "vitest";
import { startNginx } from "../host/servers.js";
import { freshDist } from "../serve/running.js";
import { start } from "../support/command.js";
import { runSql } from "../support/database.js";
import { docPage, readerEnvironment, sh } from "../support/docs.js";
import { readTree, scratch } from "../support/files.js";
import { isMissing } from "../support/installed.js";
import { freePort } from "../support/ports.js";

const { text: DOC, block } = docPage("docs/guides/operate.md");
const METRICS = ["counts", "admin"]
  .map((name) => readFileSync(new URL(`../../src/serve/${name}.ts`, import.meta.url), "utf8"))
  .join("\n");

describe.skipIf(isMissing("promtool"))("promtool", () => {
  test("takes the configuration, and the rules that it names", () => {
    const folder = scratch();
    const files = [...DOC.matchAll(/^```yaml (\S+)\n([\s\S]*?)^```$/gm)];
    expect(files.map(([, name]) => name)).toEqual(["prometheus.yml", "rollcall.rules.yml"]);
    for (const [, name = "", text = ""] of files) writeFileSync(join(folder, name), text);
    const said = execFileSync("promtool", ["check", "config", "--lint-fatal", join(folder, "prometheus.yml")], {
      encoding: "utf8",
    });
    expect(said).toContain("SUCCESS: 5 rules found");
  });
});

test("it names each metric, and no other", () => {
  const named = new Set(DOC.match(/\brollcall_[a-z_]+\b/g));
  expect([...named].sort()).toEqual([...new Set(METRICS.match(/\brollcall_[a-z_]+\b/g))].sort());
});

test.skipIf(isMissing("nginx"))("instances of the template unit share the requests of nginx", async () => {
  const dist = await freshDist();
  const [, command = ""] = /^ExecStart=rollcall (.*)$/m.exec(block("Several processes", "sh")) ?? [];
  let conf = block("Several processes", "nginx");
  const instances: ReturnType<typeof start>[] = [];
  for (const documented of ["8081", "8082"]) {
    const port = String(await freePort());
    expect(conf).toContain(`127.0.0.1:${documented};`);
    conf = conf.replace(documented, port);
    const args = command.replace("/srv/directory/dist", dist).replace("%i", port).split(" ");
    const instance = start([...args, "--access-log"]);
    instances.push(instance);
    await once(instance.child.stderr as Readable, "data");
  }
  const port = await freePort();
  const stop = await startNginx(scratch(), port, [conf.replace("listen 80;", `listen 127.0.0.1:${port};`)]);
  const read = async () => {
    for (let page = 1; page <= 20; page++)
      expect((await fetch(`http://127.0.0.1:${port}/api/users/?page=${(page % 3) + 1}`)).status).toBe(200);
  };
  await read();
  const [first, second] = instances;
  first?.child.kill("SIGTERM");
  const { code, stdout } = await (first as (typeof instances)[0]).ended;
  expect(code).toBe(0);
  expect(stdout.match(/"status":200/g)?.length).toBeGreaterThan(5);
  await read();
  second?.child.kill("SIGTERM");
  expect((await second?.ended)?.stdout.match(/"status":200/g)?.length).toBeGreaterThan(25);
  await stop();
});

test("the commands that delete a person leave nothing of them", { timeout: 180_000 }, () => {
  const [cwd, env] = [scratch(), readerEnvironment()];
  const type = (command: string) => expect(sh(command, cwd, env), command).toMatchObject({ status: 0 });
  const name = "celine9488";
  type("rollcall init && rollcall build --changes 3 && rollcall publish site");
  runSql(join(cwd, "data/users.sqlite"), `DELETE FROM users WHERE username = '${name}'`);
  type(block("Privacy"));
  for (const folder of ["dist", "site"])
    for (const [file, bytes] of readTree(join(cwd, folder))) expect(bytes.includes(name), file).toBe(false);
  expect(readFileSync(join(cwd, "purge.txt"), "utf8")).toContain("/api/users/");
});
