/** docs/guides/several-tables.md: its commands print what it shows, and its config and contracts are accepted. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { docPage, readerEnvironment, sh, started } from "../support/docs.js";
import { scratch } from "../support/files.js";
import { isMissing } from "../support/installed.js";

const { block, blocks, expectShown } = docPage("docs/guides/several-tables.md");

test.skipIf(isMissing("sqlite3"))(
  "from shop.db to a site in four commands, and with the config that is shown",
  async () => {
    const [cwd, env] = [scratch(), readerEnvironment()];
    expect(sh(block("A small shop"), cwd, env)).toMatchObject({ status: 0 });
    const section = "From shop.db to a verified site";
    const [init = "", build = "", verify = "", serve = "", ...others] = blocks(section);
    expect(others).toEqual([]);
    for (const [at, command] of [init, build, verify].entries()) {
      const { status, stdout, stderr } = sh(command, cwd, env);
      expect(status, command).toBe(0);
      expectShown(section, "text", at, stdout + stderr);
    }
    const server = await started(serve, "curl", cwd, env);
    const url = /http:\/\/[\d.:]+/.exec(server.output())?.[0] ?? "";
    expect(await (await fetch(`${url}/`)).text()).toContain("customer_id refers to");
    const page = (await (await fetch(`${url}/orders/`)).json()) as { results: { customer_id: number }[] };
    expect(page.results.map(({ customer_id }) => customer_id)).toEqual([1, 2, 1]);

    const mirrored = sh(block("Keep a copy").replace("http://127.0.0.1:8080", url), cwd, env);
    expectShown("Keep a copy", "text", 0, mirrored.stderr.replace(url, "http://127.0.0.1:8080"));

    writeFileSync(join(cwd, "rollcall.config.json"), block("The config", "json"));
    expect(readFileSync(join(cwd, "contracts/orders.json"), "utf8")).toContain('"x-references": "customers"');
    const built = sh("rollcall build --force --json", cwd, env);
    expect(built.status).toBe(0);
    expect(Object.keys(JSON.parse(built.stdout).listings)).toEqual([
      "categories",
      "customers",
      "orders",
      "v1/products",
    ]);
  },
);
