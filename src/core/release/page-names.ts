/** A set of page file names in one byte each. An array of strings would take hundreds of bytes for each name. */
import type { Dirent } from "node:fs";
import { opendir } from "node:fs/promises";
import { parsePageName, VARIANTS, type Variant } from "./layout.js";

/** Names in one allocation. A stray file name may have any number, so groups are allocated as they are needed. */
const GROUP = 2 ** 13;
/** Entries that are read at once. */
const AT_ONCE = 2 ** 12;

/** The entries of a folder in batches, in no order. */
export async function* entriesOf(folder: string): AsyncGenerator<Dirent[]> {
  let some: Dirent[] = [];
  for await (const entry of await opendir(folder, { bufferSize: AT_ONCE })) {
    if (some.push(entry) < AT_ONCE) continue;
    yield some;
    some = [];
  }
  yield some;
}

/** A set of names of page files, such as `7.json.br`. */
export class PageNames {
  /** By the number of the group: a byte of 1 for each name in the set. */
  readonly #groups = new Map<number, Uint8Array>();

  /** Adds a name. @returns false, without adding it, if it is not the name of a page file. */
  add(name: string): boolean {
    const found = parsePageName(name);
    if (!found) return false;
    const at = indexOf(found.page, found.variant);
    const number = Math.floor(at / GROUP);
    const group = this.#groups.get(number) ?? new Uint8Array(GROUP);
    group[at % GROUP] = 1;
    this.#groups.set(number, group);
    return true;
  }

  has(page: number, variant: Variant): boolean {
    const at = indexOf(page, variant);
    return this.#groups.get(Math.floor(at / GROUP))?.[at % GROUP] === 1;
  }
}

function indexOf(page: number, variant: Variant): number {
  return page * VARIANTS.length + VARIANTS.indexOf(variant);
}
