/** Contracts with few words, for tests. */
import type { ContractFile, FieldSchema } from "../../src/core/contract/file/form.js";

/** A contract of these fields, all of which are required. @param more keywords of the listing; by default, `id` is the key */
export function contractWith(
  words: readonly [one: string, many: string],
  properties: Readonly<Record<string, FieldSchema>>,
  more: Partial<ContractFile["x-listing"]> = {},
): ContractFile {
  const { key = "id" } = more;
  return {
    type: "object",
    "x-listing": { words, key, order: [key], version: 1, ...more },
    properties,
    required: Object.keys(properties),
    additionalProperties: false,
  };
}
