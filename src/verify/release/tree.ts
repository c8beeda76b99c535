/** What is in a release's folder, seen without following any link. */
import type { Dirent } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { codeOf, UserError } from "../../errors.js";

/** Path inside the release -> what stands there: `file`, or what it is instead. Folders are not told. */
export type Tree = ReadonlyMap<string, string>;

/** @throws UserError when the folder is not there, is none, or may not be read. */
export async function readTree(folder: string): Promise<Tree> {
  const tree = new Map<string, string>();
  const open = [""];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    for (const entry of await list(folder, path)) {
      const inside = `${path}${entry.name}`;
      if (entry.isDirectory()) open.push(`${inside}/`);
      else tree.set(inside, kindOf(entry));
    }
  }
  return tree;
}

async function list(folder: string, path: string): Promise<Dirent[]> {
  try {
    return await readdir(join(folder, path), { withFileTypes: true });
  } catch (cause) {
    throw new UserError(`${join(folder, path)} cannot be read (${codeOf(cause)}).`, { cause });
  }
}

function kindOf(entry: Dirent): string {
  if (entry.isFile()) return "file";
  return entry.isSymbolicLink() ? "a symbolic link" : "no plain file";
}
