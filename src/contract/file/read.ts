/** Reads a contract that may be untrusted. The parser is loaded only if it is not the built-in contract. */
import { USERS_CONTRACT } from "../contract.js";
import type { ReadContract } from "./parse.js";

/** Reads a contract. @param text of contract.json or of a contract file. */
export async function readContract(text: string): Promise<ReadContract> {
  // The built-in contract needs no check.
  if (text === USERS_CONTRACT.text) return USERS_CONTRACT;
  const { parseContract } = await import("./parse.js");
  return parseContract(text);
}
