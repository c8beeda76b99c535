/** Which page files are in a folder, in a byte each: a list of millions of names would take hundreds of bytes for each. */
import type { Dirent } from "node:fs";
import { opendir } from "node:fs/promises";
import { pageName, parsePageName, VARIANTS, type Variant } from "./layout.js";

/** Names whose bytes are kept together, since a single name may have any number. */
const GROUP = 2 ** 13;
/** Entries that are read together. */
const AT_ONCE = 2 ** 12;

/** The entries of a folder, in no order. */
export async function* entriesOf(folder: string): AsyncGenerator<Dirent[]> {
  let some: Dirent[] = [];
  for await (const entry of await opendir(folder, { bufferSize: AT_ONCE })) {
    if (some.push(entry) < AT_ONCE) continue;
    yield some;
    some = [];
  }
  yield some;
}

export class PageNames {
  /** By the number of the group: 1 for each name that is there. */
  readonly #groups = new Map<number, Uint8Array>();

  /** @returns false for a name that is not of a page. */
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

  hasName(name: string): boolean {
    const found = parsePageName(name);
    return found !== undefined && this.has(found.page, found.variant);
  }

  *names(): Generator<string> {
    for (const [number, group] of this.#groups)
      for (let at = group.indexOf(1); at >= 0; at = group.indexOf(1, at + 1)) {
        const index = number * GROUP + at;
        const variant = VARIANTS[index % VARIANTS.length] ?? "identity";
        yield pageName(Math.floor(index / VARIANTS.length), variant);
      }
  }
}

function indexOf(page: number, variant: Variant): number {
  return page * VARIANTS.length + VARIANTS.indexOf(variant);
}
