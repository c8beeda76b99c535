/** Settings that hold keys or files of keys. Messages do not repeat the value, since it may be a secret by mistake. */
import * as z from "zod";
import { readText } from "../errors.js";
import { at, isPath } from "./kinds.js";

const NO_SECRET_FILE = "Must be the path of a secret key file, not the key itself.";

/** The path of a secret key file. */
export const secretFile = {
  kind: "path",
  placeholder: "<file>",
  schema: z
    .string({ error: NO_SECRET_FILE })
    .refine((value) => isPath(value) && !/[\n\r]|^RW[\w+/=]{54}/.test(value), { error: NO_SECRET_FILE }),
} as const;

/** Whether a text is a minisign public key, or the content of its file, rather than a path. */
export function isPublicKey(text: string): boolean {
  return /^RW[\w+/]{54}$|\n/.test(text);
}

/** Public keys, or paths of their files. */
export const publicKeys = {
  kind: "keys",
  schema: z
    .array(
      z.string().refine((value) => isPublicKey(value) || (isPath(value) && !/^RW[\w+/=]{57}/.test(value)), {
        error: "Must be a minisign public key (RW and 54 characters), or the path of its file (minisign.pub).",
      }),
    )
    .min(1),
  placeholder: "<key|file>",
} as const;

/** More than a public key file has. */
const MOST_BYTES = 4096;

/**
 * Reads a public key that is given as text or as the path of its file.
 * @param cwd the folder that the path is relative to.
 * @throws UserError (usage) if the file cannot be read. The message has none of its content.
 */
export function publicKeyOf(given: string, cwd: string): string {
  if (isPublicKey(given)) return given;
  return readText(at(cwd, given), "--key takes a minisign public key or the path of its file", MOST_BYTES);
}
