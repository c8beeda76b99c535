/** Compares `rollcall build` with a simple Node program and with C. */
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { has, here, measure, run, say } from "./processes.js";
import { type Bench, inTurns, type Row } from "./rounds.js";
import { BASE_URL, buildCommand, makeOrders, makeSource, reorder } from "./sources.js";

const PAGE_SIZE = "100";

export async function measureBuild({ users, rounds, rollcalls, folder }: Bench): Promise<Row[]> {
  if (!has("/usr/bin/time", "build", "time")) return [];
  const db = await makeSource(folder, users);
  const out = join(folder, "out");
  const orders = (["published", "random"] as const).map((order) => ({ order, db: reorder(db, order) }));
  const tables = (["number", "integer"] as const).map((type) => ({ type, ...makeOrders(folder, users, type) }));
  const contestants = [
    ...rollcalls.map(({ name, cli }) => ({ name: `${name} build`, command: buildCommand(cli, db, out) })),
    ...orders.flatMap(({ order, db }) =>
      rollcalls.map(({ name, cli }) => ({
        name: `${name} build, rows in ${order} order`,
        command: buildCommand(cli, db, out),
      })),
    ),
    ...tables.flatMap(({ type, file, contract }) =>
      rollcalls.map(({ name, cli }) => ({
        name: `${name} build, orders with two fields of type ${type}`,
        command: buildCommand(cli, file, out, "--contract", contract),
      })),
    ),
    {
      name: "obvious Node program",
      command: [process.execPath, here("obvious.mjs"), db, out, BASE_URL, PAGE_SIZE],
    },
  ];
  const program = join(folder, "baseline");
  try {
    await run(["cc", "-O2", "-o", program, here("baseline.c"), "-lsqlite3"]);
    contestants.push({ name: "C program", command: [program, db, out, BASE_URL, PAGE_SIZE] });
  } catch {
    say("C program: left out, since it cannot be compiled (Debian: gcc libsqlite3-dev)");
  }
  return inTurns(
    contestants.map(({ name, command }) => ({
      name,
      prepare() {
        rmSync(out, { recursive: true, force: true });
        mkdirSync(out);
      },
      run: () => measure(command),
    })),
    rounds,
    { ratios: ["seconds"], to: "rollcall build" },
  );
}
