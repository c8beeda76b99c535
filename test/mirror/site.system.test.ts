/** Mirrors of the listings of a site. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import { createServer } from "../../src/index.js";
import { fakeIo, rollcall } from "../commands/run.js";
import { scratch } from "../support/files.js";
import { buildShop } from "../support/small-shop.js";

test("a listing's URL is mirrored; the site's is refused with the names of its listings", async () => {
  const cwd = scratch();
  await buildShop(cwd, { customers: 5, orders: 25 });
  const host = await createServer({ dist: join(cwd, "dist") });
  onTestFinished(() => host.close());
  const { url } = await host.listen({ port: 0 });
  const base = url.replace(/\/$/, "");
  expect(await rollcall(`mirror ${url} shop.sqlite`, fakeIo(cwd))).toEqual({
    code: 2,
    stdout: "",
    stderr: `error: ${base} is a site of listings customers, orders; name one of them: rollcall mirror ${base}/customers shop.sqlite\n`,
  });
  expect(existsSync(join(cwd, "shop.sqlite"))).toBe(false);
  expect(await rollcall(`mirror ${base}/orders orders.sqlite`, fakeIo(cwd))).toMatchObject({ code: 0 });
  const db = new Database(join(cwd, "orders.sqlite"), { readonly: true });
  expect(db.prepare("SELECT count(*) AS count, sum(total) AS total FROM orders").get()).toEqual({
    count: 25,
    total: 325,
  });
  db.close();
});
