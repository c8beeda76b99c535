/** Databases for tests of init, and what init finds in them. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import type { Contract } from "../../src/core/contract/contract.js";
import { checkContract } from "../../src/core/contract/file/parse.js";
import { configSchema } from "../../src/core/settings/settings.js";
import type { Proposed } from "../../src/init/decide.js";
import type { Found } from "../../src/init/found.js";
import { type InitOptions, initialize } from "../../src/init/init.js";
import { editor, takesContract } from "../support/editors.js";
import { scratch } from "../support/files.js";

/** Writes a new SQLite file. @param sql statements, or the name of a file of them beside this one. */
export function database(sql: string, file = join(scratch(), "my.sqlite")): string {
  const db = new Database(file);
  db.pragma("synchronous = OFF");
  db.exec(/^\w+\.sql$/.test(sql) ? readFileSync(new URL(sql, import.meta.url), "utf8") : sql);
  db.close();
  return file;
}

export interface Result extends Found {
  /** The contract that was written, as every verb reads it. */
  read: Contract;
  config: Record<string, unknown>;
  folder: string;
  of(column: string): Proposed;
}

const SCHEMAS = {
  "rollcall.contract.json": takesContract,
  "rollcall.config.json": editor.compile(configSchema()),
};

/** The text of a file that init wrote. @throws Error when the schema that the package ships for it refuses it. */
function written(folder: string, name: keyof typeof SCHEMAS): string {
  const text = readFileSync(join(folder, name), "utf8");
  const fits = SCHEMAS[name];
  if (!fits(JSON.parse(text))) throw new Error(`${name}: ${editor.errorsText(fits.errors)}`);
  return text;
}

/**
 * Runs init in a folder of its own.
 * @param options those of init, with the text of a query
 * @throws Error if init writes a contract that no verb would take
 */
export async function init(
  from: string,
  { query, ...options }: Omit<InitOptions, "from" | "folder"> = {},
): Promise<Result> {
  const folder = scratch();
  const file = query === undefined ? undefined : join(folder, "query.sql");
  if (file !== undefined) writeFileSync(file, query ?? "");
  const { found } = await initialize({ folder, ...options, from, query: file });
  if (!found) throw new Error("init found nothing");
  const read = checkContract(written(folder, "rollcall.contract.json"));
  if ("mistakes" in read) throw new Error(read.mistakes.join("\n"));
  const config = JSON.parse(written(folder, "rollcall.config.json"));
  const of = (name: string) => {
    const column = found.columns.find(({ column }) => column === name);
    if (!column) throw new Error(`There is no column ${name}`);
    return column;
  };
  return { ...found, read, config, folder, of };
}

/** A table with a key and one more column, whose values are given. */
export function columnOf(values: readonly unknown[], column: string, declared: string): string {
  const file = join(scratch(), "column.sqlite");
  const db = new Database(file);
  db.pragma("synchronous = OFF");
  const name = `"${column.replaceAll('"', '""')}"`;
  db.exec(`CREATE TABLE things (the_key INTEGER PRIMARY KEY, ${name} ${declared})`);
  const insert = db.prepare(`INSERT INTO things (${name}) VALUES (?)`);
  for (const value of values) insert.run(value);
  db.close();
  return file;
}
