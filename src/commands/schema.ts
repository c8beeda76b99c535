/** `rollcall schema`: prints a contract as JSON Schema, SQL or TypeScript. */

import type { Contract } from "../contract/contract.js";
import { loadContract } from "../contract/file/load.js";
import { toSql } from "../contract/sql.js";
import { toTypeScript } from "../contract/typescript.js";
import { ExitCode } from "../errors.js";
import { openChosen } from "../release/choose.js";
import type { Settings } from "../settings/settings.js";
import { type Invocation, type Io, print } from "./program/verb.js";

const FORMS: Readonly<Record<Settings["schemaFormat"], (contract: Contract) => string>> = {
  "json-schema": ({ text }) => text,
  sql: toSql,
  typescript: toTypeScript,
};

/** Runs `rollcall schema`. @returns its exit code. @throws UserError */
export async function runSchema({ settings, arguments: { release } }: Invocation, io: Io): Promise<ExitCode> {
  const { dist, contract: given, schemaFormat } = settings;
  const contract =
    release === undefined ? await loadContract(given) : (await openChosen(dist, release, io.cwd)).contract;
  print(io, FORMS[schemaFormat](contract).trimEnd());
  return ExitCode.done;
}
