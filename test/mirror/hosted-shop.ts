/** A host of a shop, whose mirrors are tested. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { createServer } from "../../src/index.js";
import { scratch } from "../support/files.js";
import { freePort } from "../support/ports.js";
import { buildShop, type Shop } from "../support/small-shop.js";

export const SMALL = { customers: 5, orders: 25 };

/** A host of a shop, which can be changed. */
export async function shop(options: Parameters<typeof buildShop>[2] = {}) {
  const cwd = scratch();
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const publish = (next: Shop, more: typeof options) =>
    buildShop(cwd, next, { baseUrl: url, changes: 3, ...options, ...more });
  await publish(SMALL, {});
  const host = await createServer({ dist: join(cwd, "dist") });
  onTestFinished(() => host.close());
  await host.listen({ port, host: "127.0.0.1" });
  const change = async (next: Shop, more: typeof options = {}) => {
    await publish(next, more);
    await host.reload();
  };
  return { cwd, url, change, file: join(cwd, "shop.sqlite") };
}

/** The states of all listings that the current release has. */
export function statesIn(cwd: string): string {
  const { listings } = JSON.parse(readFileSync(join(cwd, "dist/current/snapshot.json"), "utf8"));
  const names = Object.keys(listings).sort();
  return names.map((name) => listings[name].state).join(" ");
}
