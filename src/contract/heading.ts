/** What people read above a field's values. It runs in browsers, too. */
import type { Field } from "./contract.js";

/** The contract's title of the field, or the words of its path: `Off chain tokens`. Not escaped. */
export function headingOf({ names, schema }: Pick<Field, "names" | "schema">): string {
  const words = schema.title ?? names.join(" ").replaceAll("_", " ").trim();
  return words === "" ? names.join(".") : words.charAt(0).toUpperCase() + words.slice(1);
}
