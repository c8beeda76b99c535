/** Loads the contract that a verb is given, or that a release or a host has. */
import { ExitCode, readText, UserError } from "../../errors.js";
import { count } from "../../print/numbers.js";
import { visible } from "../../print/text.js";
import { type Contract, ownerOf } from "../contract.js";
import { USERS_CONTRACT } from "../users.js";
import { type ContractFile, MAX_CONTRACT } from "./form.js";
import type { ReadContract } from "./parse.js";

/**
 * Loads and checks a contract.
 * @param given a contract as a plain object, or the path of its file; the directory of users by default.
 * @param setting the setting that gives it, for messages: `listings.orders.contract`; by default, the flag.
 * @throws UserError (usage) with a line for each of its mistakes.
 */
export async function loadContract(given: string | ContractFile | undefined, setting?: string): Promise<Contract> {
  if (given === undefined) return USERS_CONTRACT;
  const checked = typeof given === "object" ? ownerOf(given) : undefined;
  if (checked) return checked;
  const isPath = typeof given === "string";
  const purpose = `${setting ?? "--contract"} names the JSON file of a contract`;
  const read = await parseContract(isPath ? readText(given, purpose, MAX_CONTRACT) : given);
  if (!("mistakes" in read)) return read;
  const beginning = setting === undefined ? "" : `${setting}: `;
  const name = beginning + (isPath ? visible(given) : "The given object");
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
