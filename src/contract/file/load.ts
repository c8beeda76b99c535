/** Loads the contract that a verb is given, or that a release or a host has. */
import { isUtf8 } from "node:buffer";
import { readFileSync, statSync } from "node:fs";
import { codeOf, ExitCode, UserError, usageError } from "../../errors.js";
import { count } from "../../print/numbers.js";
import { visible } from "../../print/text.js";
import { type Contract, ownerOf, USERS_CONTRACT } from "../contract.js";
import { type ContractFile, MAX_CONTRACT } from "./form.js";
import type { ReadContract } from "./parse.js";

/**
 * Loads and checks a contract.
 * @param given a contract as a plain object, or the path of its file; the directory of users by default.
 * @throws UserError (usage) with a line for each of its mistakes.
 */
export async function loadContract(given: string | ContractFile | undefined): Promise<Contract> {
  if (given === undefined) return USERS_CONTRACT;
  const checked = typeof given === "object" ? ownerOf(given) : undefined;
  if (checked) return checked;
  const name = typeof given === "string" ? visible(given) : "The given object";
  const read = await parseContract(typeof given === "string" ? textOf(given, name) : given);
  if (!("mistakes" in read)) return read;
  const message = `${name} is not a valid contract. It has ${count(read.mistakes.length, "mistake")}:`;
  throw new UserError(message, { exitCode: ExitCode.usage, details: read.mistakes });
}

/** Reads a contract that may be untrusted. @param given the text of its file, or a plain object. */
export async function parseContract(given: string | ContractFile): Promise<ReadContract> {
  // The built-in contract needs no check, so that the parser is not loaded for it.
  if (given === USERS_CONTRACT.text) return USERS_CONTRACT;
  const { checkContract } = await import("./parse.js");
  return checkContract(given);
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
