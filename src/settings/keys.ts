/** Settings that are keys, or lead to them. No message repeats such a value: somebody may have given the secret itself. */
import { closeSync, openSync, readSync } from "node:fs";
import { z } from "zod";
import { unreadableFile, usageError } from "../errors.js";
import { at, isPath } from "./kinds.js";

const NO_SECRET_FILE = "Must be the path of a secret key's file, and never the key itself.";

/** The file of a secret. Messages do not repeat it, since somebody may have given the secret itself. */
export const secretFile = {
  kind: "path",
  placeholder: "<file>",
  schema: z
    .string({ error: NO_SECRET_FILE })
    .refine((value) => isPath(value) && !/[\n\r]|^RW[\w+/=]{54}/.test(value), { error: NO_SECRET_FILE }),
} as const;

/** Whether a text is a public key of minisign's, or what its file holds, and not the path of that file. */
export function isPublicKey(text: string): boolean {
  return /^RW[\w+/]{54}$|\n/.test(text);
}

/** Public keys, or their files. Messages do not repeat them, since somebody may have given a secret key. */
export const publicKeys = {
  kind: "keys",
  schema: z
    .array(
      z.string().refine((value) => isPublicKey(value) || (isPath(value) && !/^RW[\w+/=]{57}/.test(value)), {
        error: "Must be a public key of minisign's (RW and 54 letters), or the path of its file (minisign.pub).",
      }),
    )
    .min(1),
  placeholder: "<key|file>",
} as const;

/** A public key's file has two short lines. */
const MOST_BYTES = 4096;

/**
 * The text of a public key that is given as such, or as the path of its file.
 * @param cwd that the path starts from.
 * @throws UserError when the file cannot be read; none of its content is repeated.
 */
export function publicKeyOf(given: string, cwd: string): string {
  if (isPublicKey(given)) return given;
  const bytes = Buffer.alloc(MOST_BYTES);
  let file: number | undefined;
  try {
    file = openSync(at(cwd, given), "r");
    return bytes.toString("utf8", 0, readSync(file, bytes));
  } catch (cause) {
    const why = unreadableFile(at(cwd, given), "--key names the file of a public key of minisign's, or is one", cause);
    throw usageError(why.message, cause);
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
