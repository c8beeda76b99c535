/** The check of contract files that editors make by contract.schema.json. */
import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";

const text = readFileSync(new URL("../../contract.schema.json", import.meta.url), "utf8");

/** A part of contract.schema.json. */
export interface Part {
  description?: string;
  enum?: readonly string[];
  anyOf?: readonly Part[];
  $ref?: string;
  properties?: Readonly<Record<string, Part>>;
  $defs?: Readonly<Record<string, Part>>;
}

export const contractSchema: Part = JSON.parse(text);

/** Resolves `contract.schema.json` in schemas that refer to it. Formats are annotations, as in most editors. */
export const editor = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
editor.addSchema(JSON.parse(text), "contract.schema.json");

/** Whether editors accept a contract; `errors` says why not. */
export const takesContract = editor.compile({ $ref: "contract.schema.json" });
