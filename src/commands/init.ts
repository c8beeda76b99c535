/** `rollcall init`: writes a starter config, with sample users or a contract for a database. */
import { ExitCode } from "../errors.js";
import { type Found, type InitResult, initialize, QUERY_FILE } from "../init/init.js";
import { type Proposed, publicLine } from "../init/propose.js";
import { count } from "../print/numbers.js";
import type { Line } from "../print/style.js";
import { toJson } from "../print/text.js";
import { CONTRACT_FILE } from "../settings/file.js";
import { stoppable } from "./program/signals.js";
import { type Given, type Io, print, sayLines } from "./program/verb.js";

/** Runs `rollcall init`. @returns its exit code. @throws UserError */
export async function runInit({ settings }: Given, io: Io): Promise<ExitCode> {
  const { from, table, query, words, title, path } = settings;
  const step = (signal: AbortSignal) => initialize(io.cwd, { signal, from, table, query, words, title, path });
  const result = await stoppable(io.signals, step, "nothing was written");
  if (settings.json) print(io, toJson(result));
  else if (!settings.quiet)
    sayLines(io, [...describe(result), { verb: "next", value: "rollcall build && rollcall serve" }]);
  return ExitCode.done;
}

function describe({ config, db, written, found }: InitResult): Line[] {
  if (found) return describeFound(found, config, db);
  return [
    { verb: "write", value: config, detail: "the settings; edit them" },
    { verb: written.includes(db) ? "write" : "keep", value: db, detail: "sample users" },
  ];
}

function describeFound({ name, kind, rows, columns, key, contract, sql }: Found, config: string, db: string): Line[] {
  const { path } = contract["x-listing"];
  const left = columns.some(({ instead }) => instead !== undefined);
  const publish = `; to publish an omitted column, add its line to properties and its name to required`;
  return [
    { verb: "read", value: db, detail: `the ${kind} ${name}, ${count(rows, "row")}` },
    ...columns.map((column) => describeColumn(column, column.field === key.field, key.why)),
    { verb: "note", value: `published data is public${left ? publish : ""}`, loud: true },
    ...(columns.some(({ better }) => better !== undefined)
      ? [{ verb: "note", value: `SQL above is for a SELECT ... FROM ${name} in a file for --query` }]
      : []),
    ...(sql === undefined
      ? []
      : [{ verb: "write", value: QUERY_FILE, detail: `the SELECT that reads ${name}; edit it` }]),
    { verb: "write", value: CONTRACT_FILE, detail: `the contract of the records at ${path}; edit it` },
    { verb: "write", value: config, detail: "the settings; edit them" },
  ];
}

function describeColumn({ column, field, ...given }: Proposed, isKey: boolean, why: string): Line {
  const { schema, instead, what, better } = given;
  const sql = better && `for ${better.what}: ${better.sql}`;
  if (!schema) {
    const way = instead ? `if it is meant to be public: ${publicLine({ column, field }, instead)}` : sql;
    const detail = [`${what}: ${given.why}`, ...(way === undefined ? [] : [way])].join("; ");
    return { verb: "omit", value: column, detail, loud: true };
  }
  const parts = [
    ...(isKey ? [`the key, ${why}`] : []),
    ...(field === column ? [] : [`the field ${field}`]),
    given.why,
    ...(sql === undefined ? [] : [sql]),
  ];
  return { verb: "publish", value: column, detail: `${what}: ${parts.join("; ")}` };
}
