/** `rollcall schema`: prints a contract, a table that satisfies it, or a type of its records. */
import { loadContract } from "../build/contract.js";
import type { Contract } from "../contract/contract.js";
import { toSql } from "../contract/schema/sql.js";
import { toTypeScript } from "../contract/schema/typescript.js";
import { ExitCode } from "../errors.js";
import { openChosen } from "../release/choose.js";
import type { Settings } from "../settings/settings.js";
import { type Given, type Io, print, type Verb } from "./program/verb.js";

export const schemaVerb: Verb = {
  name: "schema",
  summary: "Print the contract of the records, a table that satisfies it, or a type of them",
  arguments: {
    "[release]": "the contract of this release instead: an id or its beginning, current, previous, or a folder",
  },
  examples: [
    ["rollcall schema --format sql | sqlite3 new.sqlite", "a table for records of the contract"],
    ["rollcall schema current --format typescript > record.ts", "the type of the records that are published"],
  ],
  configured: true,
  run: runSchema,
};

const FORMS: Readonly<Record<Settings["schemaFormat"], (contract: Contract) => string>> = {
  "json-schema": ({ text }) => text,
  sql: toSql,
  typescript: toTypeScript,
};

async function runSchema({ settings, arguments: { release } }: Given, io: Io): Promise<ExitCode> {
  const { out, contract: given, schemaFormat } = settings;
  const contract =
    release === undefined ? await loadContract(given) : (await openChosen(out, release, io.cwd)).contract;
  print(io, FORMS[schemaFormat](contract).trimEnd());
  return ExitCode.done;
}
