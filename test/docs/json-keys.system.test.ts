/** docs/reference/commands.md names the keys that each verb prints with --json. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { createServer } from "../../src/index.js";
import { fakeIo, rollcall } from "../cli/run.js";
import { plainRows, runSql, writeUsers } from "../support/database.js";
import { expectTable } from "../support/docs.js";
import { scratch } from "../support/files.js";
import { writeKey } from "../support/minisign.js";

test("the keys are those that the program prints", async () => {
  const cwd = scratch();
  const db = writeUsers(join(cwd, "users.sqlite"), plainRows(7));
  const sources = "--db users.sqlite --base-url http://127.0.0.1:8080";
  const { secret } = writeKey(cwd, "ours");
  const keysOf = async (line: string, code = 0) => {
    const ended = await rollcall(`${line} --json`, fakeIo(cwd));
    expect(ended, line).toMatchObject({ code });
    return describeKeys(JSON.parse(ended.stdout));
  };
  const rows: [verb: string, keys: string][] = [];
  const add = async (verb: string, line: string, code = 0) => rows.push([verb, await keysOf(line, code)]);

  await add("init", "init --from users.sqlite --table users");
  await keysOf(`build ${sources}`);
  runSql(db, "UPDATE users SET username = 'other' WHERE username = 'user0'");
  await add(
    "build",
    `build ${sources} --explorer --views circles --changes 1 --feed --max-changed 5 --sign-key ${secret}`,
  );
  await add("build `--shard`", `build ${sources} --shard 0/2 --parts parts`);
  runSql(db, "DELETE FROM users");
  await add("build, limit exceeded", `build ${sources} --max-removed 1`, 3);
  writeUsers(join(cwd, "wrong.sqlite"), [{ ...plainRows(1)[0], date_joined: "once" }]);
  await add("build, records invalid", "build --db wrong.sqlite --base-url http://127.0.0.1:8080", 1);
  await add("verify", "verify");
  await add("host", "host nginx --write conf.d");
  await add("publish", "publish site");
  await add("releases", "releases");
  await add("use", "use previous");
  const host = await createServer({ dist: join(cwd, "dist") });
  const { url } = await host.listen({ port: 0, host: "127.0.0.1" });
  await add("verify, of a host", `verify ${url}`);
  await add("mirror", `mirror ${url} mirror.sqlite`);
  await host.close();
  expectTable("docs/reference/commands.md", "The keys of `--json`, in this order:", [["verb", "keys"], ...rows]);
});

/** Names the keys of an object, and those of the objects in its lists. */
function describeKeys(value: unknown): string {
  if (Array.isArray(value)) return `a list: ${describeKeys(value[0])}`;
  const described = Object.entries(Object(value)).map(([key, member]) => {
    const [first] = Array.isArray(member) ? member : [];
    return typeof first === "object" && first !== null ? `${key} (${Object.keys(first).join(", ")})` : key;
  });
  return described.join(", ");
}
