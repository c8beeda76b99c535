/** A fast check of canonical records by a regular expression. It takes only records that the schema takes without a warning. */
import type { Contract } from "../contract.js";
import type { FieldSchema } from "../file/form.js";
import { RECORD_SEPARATOR } from "../page.js";
import { bytesOf, literalBytes } from "./bytes.js";
import { toBytes } from "./key.js";
import { matches } from "./keywords.js";

export type RecordPattern = ReturnType<typeof recordPattern>;

/**
 * Makes the check. A record that does not match may still be valid: then the schema itself checks it.
 * @param defaultAvatar a text that fields with this setting may hold, and that is known to be valid.
 */
export function recordPattern(contract: Contract, defaultAvatar?: string) {
  const source = objectOf(contract.file.properties, defaultAvatar);
  const pattern = source === undefined ? undefined : new RegExp(source, "y");
  return {
    /** Whether a text, a character a byte, is so many valid records without warnings of their fields; keys and conditions aside. */
    takes(text: string, count: number): boolean {
      if (!pattern) return false;
      let at = 0;
      for (let found = 0; found < count; found++) {
        if (found > 0 && !text.startsWith(RECORD_SEPARATOR, at)) return false;
        pattern.lastIndex = found > 0 ? at + RECORD_SEPARATOR.length : 0;
        if (!matches(pattern, text)) return false;
        at = pattern.lastIndex;
      }
      return at === text.length;
    },
  };
}

/** Undefined where a field's values can only be checked by the schema. */
function objectOf(
  properties: { readonly [name: string]: FieldSchema },
  avatar: string | undefined,
): string | undefined {
  const members: string[] = [];
  for (const name of Object.keys(properties).sort()) {
    const schema = properties[name] ?? {};
    const value = schema.properties ? objectOf(schema.properties, avatar) : bytesOfField(schema, avatar);
    if (value === undefined) return undefined;
    members.push(`${literalBytes(toBytes(JSON.stringify(name)))}:${value}`);
  }
  return `\\{${members.join(",")}\\}`;
}

function bytesOfField(schema: FieldSchema, avatar: string | undefined): string | undefined {
  const value = bytesOf({ ...schema, ...schema["x-observed"] });
  const isDefault = schema["x-null"] !== undefined && "setting" in schema["x-null"];
  if (!isDefault || avatar === undefined) return value;
  const text = literalBytes(toBytes(JSON.stringify(avatar)));
  return value === undefined ? text : `(?:${text}|${value})`;
}
