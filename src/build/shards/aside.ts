/**
 * A part of a shard while it is being written: a folder with a temporary name, renamed once it is complete. A lock beside it,
 * which the system releases when the process ends, tells it from one that a killed process has left.
 */
import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { codeOf, hasCode, UserError } from "../../core/errors.js";
import { type LockFile, takeLock } from "../../core/release/lock.js";
import { makeFolder } from "../../core/release/sharing.js";
import { flushFolder } from "../../core/release/writer.js";
import { PROBLEMS } from "./part.js";

/** A temporary name, also of a file or folder beside it. */
const TEMPORARY = /^\.(\d{1,9}-of-\d{1,9})-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/;
const LOCK = "lock";
const TRASH = "trash";

export class AsidePart {
  readonly folder: string;
  readonly #lock: LockFile | undefined;

  /**
   * Removes what killed processes have left of the same shard, and begins the part.
   * @param parts the folder of parts. @param name of the shard. @param pages the folder of pages inside the part.
   */
  constructor(
    private readonly parts: string,
    name: string,
    private readonly pages: string,
  ) {
    this.folder = join(parts, `.${name}-${randomUUID()}`);
    mkdirSync(parts, { recursive: true });
    removeLeft(parts, name);
    this.#lock = lockIfPossible(this.beside(LOCK));
    this.#begin();
  }

  /** A path beside the folder, for a file that `clear` does not remove. */
  beside(name: string): string {
    return `${this.folder}.${name}`;
  }

  clear(): void {
    rmSync(this.folder, { recursive: true });
    this.#begin();
  }

  discard(): void {
    for (const path of [this.folder, this.beside(PROBLEMS)]) rmSync(path, { recursive: true, force: true });
    this.#unlock();
  }

  /**
   * Renames the part to its final name.
   * @param isIntact whether an existing part of that name is intact; one that is not is replaced
   * @returns false if an intact part already exists, which stays.
   */
  commit(name: string, isIntact: () => boolean): boolean {
    for (let path = this.pages; path !== "."; path = dirname(path)) flushFolder(join(this.folder, path));
    flushFolder(this.folder);
    const place = join(this.parts, name);
    const trash = this.beside(TRASH);
    while (!renamed(this.folder, place, "ENOTEMPTY", "EEXIST")) {
      if (isIntact()) {
        this.discard();
        return false;
      }
      // The same shard may run elsewhere and have removed it.
      if (renamed(place, trash, "ENOENT")) rmSync(trash, { recursive: true, force: true });
    }
    flushFolder(this.parts);
    this.#unlock();
    return true;
  }

  #unlock(): void {
    rmSync(this.beside(LOCK), { force: true });
    this.#lock?.db.close();
  }

  #begin(): void {
    const [first = "", ...others] = this.pages.split("/");
    mkdirSync(this.folder);
    [first, ...others].reduce(makeFolder, this.folder);
  }
}

/** Removes what killed processes have left in a folder of parts. @param name of a shard; all shards if undefined. */
export function removeLeft(parts: string, name?: string): void {
  const left = new Set<string>();
  for (const file of existsSync(parts) ? readdirSync(parts) : []) {
    const [begun, shard] = TEMPORARY.exec(file) ?? [];
    if (begun !== undefined && (name ?? shard) === shard) left.add(begun);
  }
  for (const begun of left) {
    const path = join(parts, begun);
    const lock = lockIfPossible(`${path}.${LOCK}`);
    if (!lock) continue;
    const beside = [PROBLEMS, TRASH, LOCK].map((end) => `${path}.${end}`);
    for (const each of [path, ...beside]) rmSync(each, { recursive: true, force: true });
    lock.db.close();
  }
}

/** Takes a lock. @returns undefined if another process holds it, or where it cannot be taken: then nobody else can, either. */
function lockIfPossible(path: string): LockFile | undefined {
  try {
    return takeLock(path);
  } catch (error) {
    if (!(error instanceof UserError) && codeOf(error) === undefined) throw error;
    return undefined;
  }
}

/** Renames a folder. @returns false if that fails with one of these error codes. */
function renamed(from: string, to: string, ...codes: string[]): boolean {
  try {
    renameSync(from, to);
    return true;
  } catch (error) {
    if (hasCode(error, ...codes)) return false;
    throw error;
  }
}
