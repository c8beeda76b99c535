/** A part of a shard while it is being written: a folder with a temporary name, renamed once it is complete. */
import { randomUUID } from "node:crypto";
import { mkdirSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { hasCode } from "../../errors.js";
import { makeFolder } from "../../release/sharing.js";
import { flushFolder } from "../../release/writer.js";
import { PROBLEMS } from "./part.js";

export class AsidePart {
  readonly folder: string;

  /** @param parts the folder of parts. @param name of the shard. @param pages the folder of pages inside the part. */
  constructor(
    private readonly parts: string,
    name: string,
    private readonly pages: string,
  ) {
    this.folder = join(parts, `.${name}-${randomUUID()}`);
    mkdirSync(parts, { recursive: true });
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
    const trash = `${this.folder}.trash`;
    while (!renamed(this.folder, place, "ENOTEMPTY", "EEXIST")) {
      if (isIntact()) {
        this.discard();
        return false;
      }
      // The same shard may run elsewhere and have removed it.
      if (renamed(place, trash, "ENOENT")) rmSync(trash, { recursive: true, force: true });
    }
    flushFolder(this.parts);
    return true;
  }

  #begin(): void {
    const [first = "", ...others] = this.pages.split("/");
    mkdirSync(this.folder);
    [first, ...others].reduce(makeFolder, this.folder);
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
