/** Which names of pages there are in a folder of millions, by a bit for each. */
import type { Dir, Dirent } from "node:fs";
import { opendir } from "node:fs/promises";
import { ENCODINGS } from "../contract/headers.js";
import { pageNumber } from "../contract/links.js";
import type { Variant } from "./layout.js";

/** Pages whose bits are kept together. A folder may have any name, and so the largest number alone. */
const PAGES = 2 ** 13;

/** What follows the number in the name of a page's file. */
const ENDINGS = new Map<string, Variant>([
  [".json", "identity"],
  [`.json${ENCODINGS.br}`, "br"],
  [`.json${ENCODINGS.gzip}`, "gzip"],
]);

/** Entries that are read before other work goes on. */
const AT_ONCE = 2 ** 12;

/** What is in a folder, in no order and some at once: a list of millions would take hundreds of bytes for each. */
export async function* entriesOf(folder: string): AsyncGenerator<Dirent[]> {
  const open = await opendir(folder, { bufferSize: AT_ONCE });
  try {
    for (let some = await readSome(open); some.length > 0; some = await readSome(open)) yield some;
  } finally {
    await open.close();
  }
}

/** One promise for each entry would take twice the time. */
function readSome(folder: Dir): Promise<Dirent[]> {
  return new Promise((resolve, reject) => {
    const some: Dirent[] = [];
    const take = (error: NodeJS.ErrnoException | null, entry: Dirent | null) => {
      if (error) return reject(error);
      if (entry) some.push(entry);
      if (entry && some.length < AT_ONCE) folder.read(take);
      else resolve(some);
    };
    folder.read(take);
  });
}

export class PageNames {
  /** By variant, and by the first page of the group. */
  readonly #groups = new Map<Variant, Map<number, Uint8Array>>();

  /** @returns false for a name that no page has. */
  add(name: string): boolean {
    const { page, variant } = read(name) ?? {};
    if (page === undefined || variant === undefined) return false;
    const groups = this.#groups.get(variant) ?? new Map<number, Uint8Array>();
    this.#groups.set(variant, groups);
    const at = page % PAGES;
    const group = groups.get(page - at) ?? new Uint8Array(PAGES / 8);
    groups.set(page - at, group);
    group[at >> 3] = (group[at >> 3] ?? 0) | (1 << (at & 7));
    return true;
  }

  has(page: number, variant: Variant): boolean {
    const at = page % PAGES;
    const group = this.#groups.get(variant)?.get(page - at);
    return group !== undefined && isSet(group, at);
  }

  hasName(name: string): boolean {
    const found = read(name);
    return found !== undefined && this.has(found.page, found.variant);
  }

  *names(): Generator<string> {
    for (const [ending, variant] of ENDINGS)
      for (const [first, group] of this.#groups.get(variant) ?? [])
        for (let at = 0; at < PAGES; at++) if (isSet(group, at)) yield `${first + at}${ending}`;
  }
}

function read(name: string): { page: number; variant: Variant } | undefined {
  const dot = name.indexOf(".");
  const [page, variant] = [pageNumber(name.slice(0, dot)), ENDINGS.get(name.slice(dot))];
  return page === undefined || variant === undefined ? undefined : { page, variant };
}

function isSet(group: Uint8Array, at: number): boolean {
  return ((group[at >> 3] ?? 0) & (1 << (at & 7))) !== 0;
}
