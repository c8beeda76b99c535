/** Reads a contract file, which may come from strangers. */
import { type Contract, contractOf } from "../contract.js";
import { isObject, parseJson } from "../json.js";
import type { ContractFile } from "./form.js";

/** The most bytes that a contract file may have. */
export const MAX_CONTRACT = 2 ** 20;

/** The contract in a text, or why there is none, as the end of a sentence: "is not JSON". */
export function readContract(text: string): Contract | { why: string } {
  const read = parseJson(text);
  if ("why" in read) return read;
  if (!isObject(read.value)) return { why: "is no contract" };
  return contractOf(read.value as unknown as ContractFile);
}
