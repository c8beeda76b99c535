/** What is there already is never written over. */
import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { hasCode, UserError } from "../errors.js";

/** @throws UserError when one of these files is in the folder. */
export async function refuseExisting(folder: string, names: readonly string[]): Promise<void> {
  for (const name of names) if (await exists(join(folder, name))) throw refusal(name);
}

export async function exists(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR")) return false;
    throw error;
  }
}

export function refusal(name: string): UserError {
  return new UserError(`${name} is there already, so nothing was written; move it away, or run "rollcall build".`);
}
