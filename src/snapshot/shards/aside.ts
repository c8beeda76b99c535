/** A part while it is written: in a folder that no name of a part leads to, until it is complete and appears by one rename. */
import { randomUUID } from "node:crypto";
import { mkdirSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { hasCode } from "../../errors.js";
import { makeFolder } from "../../release/sharing.js";
import { flushFolder } from "../../release/writer.js";
import { PROBLEMS } from "./part.js";

export class AsidePart {
  readonly folder: string;

  /** @param name of the shard. @param pages the folder of pages inside. */
  constructor(
    private readonly parts: string,
    name: string,
    private readonly pages: string,
  ) {
    this.folder = join(parts, `.${name}-${randomUUID()}`);
    mkdirSync(parts, { recursive: true });
    this.#begin();
  }

  /** Where a file is put that `clear` leaves. */
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
   * Puts the part in its place. @param isWhole says whether the one that is there already is as good.
   * @returns false where that stays.
   */
  appear(name: string, isWhole: () => boolean): boolean {
    for (let path = this.pages; path !== "."; path = dirname(path)) flushFolder(join(this.folder, path));
    flushFolder(this.folder);
    const [place, trash] = [join(this.parts, name), `${this.folder}.trash`];
    while (!renamed(this.folder, place)) {
      if (isWhole()) {
        this.discard();
        return false;
      }
      // It may be gone by now, when the same shard runs elsewhere.
      if (renamed(place, trash)) rmSync(trash, { recursive: true, force: true });
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

/** @returns false where something is in the place already, or nothing is to be renamed. */
function renamed(from: string, to: string): boolean {
  try {
    renameSync(from, to);
    return true;
  } catch (error) {
    if (hasCode(error, "ENOTEMPTY", "EEXIST", "ENOENT")) return false;
    throw error;
  }
}
