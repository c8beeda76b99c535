/** Loads the contract that a verb is given, and checks its SQL conditions with SQLite. */
import { isUtf8 } from "node:buffer";
import { readFileSync, statSync } from "node:fs";
import Database from "better-sqlite3";
import { codeOf, ExitCode, UserError, usageError } from "../../errors.js";
import { count } from "../../print/numbers.js";
import { visible } from "../../print/text.js";
import { type Contract, contractOf, isCompiled, USERS_CONTRACT } from "../contract.js";
import { quoteName } from "../sql.js";
import { compileCondition } from "./conditions.js";
import { type ContractFile, MAX_CONTRACT } from "./form.js";
import type { ReadContract } from "./parse.js";
import { readContract } from "./read.js";

/**
 * Loads and checks a contract.
 * @param given a contract as a plain object, or the path of its file; the directory of users by default.
 * @throws UserError (usage) with a line for each of its mistakes.
 */
export async function loadContract(given: string | ContractFile | undefined): Promise<Contract> {
  if (given === undefined) return USERS_CONTRACT;
  if (typeof given === "object" && isCompiled(given)) return contractOf(given);
  const name = typeof given === "string" ? visible(given) : "The given object";
  const read =
    typeof given === "string"
      ? await readContract(textOf(given, name))
      : (await import("./parse.js")).checkContract(given);
  const mistakes = await mistakesOf(read);
  if (!("mistakes" in read) && mistakes.length === 0) return read;
  const message = `${name} is not a valid contract. It has ${count(mistakes.length, "mistake")}:`;
  throw new UserError(message, { exitCode: ExitCode.usage, details: mistakes });
}

async function mistakesOf(read: ReadContract): Promise<readonly string[]> {
  if ("mistakes" in read) return read.mistakes;
  return read === USERS_CONTRACT ? [] : refusedConditions(read);
}

function textOf(path: string, name: string): string {
  const advice = "--contract names the JSON file of a contract";
  let bytes: Buffer;
  try {
    const found = statSync(path);
    if (!found.isFile()) throw usageError(`${name} is not a file; ${advice}.`);
    const { size } = found;
    if (size > MAX_CONTRACT)
      throw usageError(`${name} has ${size} bytes, and a contract has at most ${MAX_CONTRACT}; ${advice}.`);
    bytes = readFileSync(path);
  } catch (cause) {
    if (cause instanceof UserError) throw cause;
    const code = codeOf(cause);
    if (code === "ENOENT") throw usageError(`There is no file ${name}; ${advice}.`, cause);
    throw usageError(`Contract ${name} cannot be read (${code}).`, cause);
  }
  if (!isUtf8(bytes)) throw usageError(`Contract ${name} is not text in UTF-8; save it as UTF-8.`);
  return bytes.toString("utf8");
}

/** Runs each condition in an empty database in memory. @returns a sentence for each that SQLite refuses. */
function refusedConditions({ conditions, fields }: Pick<Contract, "conditions" | "fields">): string[] {
  if (conditions.length === 0) return [];
  const row = fields.map(({ column }) => `NULL AS ${quoteName(column)}`).join(", ");
  const db = new Database(":memory:");
  try {
    return conditions.flatMap(({ sql }, at) => {
      try {
        // Evaluated on a row of NULLs, since SQLite reports some mistakes in constants only then.
        db.prepare(`SELECT ${compileCondition(sql, quoteName)} FROM (SELECT ${row})`).get();
        return [];
      } catch (error) {
        if (!(error instanceof Database.SqliteError)) throw error;
        return [`/x-observed/${at}/sql is refused by SQLite: ${error.message}.`];
      }
    });
  } finally {
    db.close();
  }
}
