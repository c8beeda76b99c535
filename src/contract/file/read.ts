/** Reads a contract that may be of strangers. What checks one is loaded only where it is not the built-in one. */
import { USERS_CONTRACT } from "../contract.js";
import type { ReadContract } from "./parse.js";

/** @param text of contract.json, or of an author's file. */
export async function readContract(text: string): Promise<ReadContract> {
  // The one that most have is known, and was checked by its tests.
  if (text === USERS_CONTRACT.text) return USERS_CONTRACT;
  const { parseContract } = await import("./parse.js");
  return parseContract(text);
}
