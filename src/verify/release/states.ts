/** Finds lists of records by their state: that of a release, and those of the releases beside it. */
import { basename, dirname, join } from "node:path";
import { codeOf, UserError } from "../../errors.js";
import { findDigest, readReleaseFileSync } from "../../release/files.js";
import { RECORDS, RELEASES, SNAPSHOT } from "../../release/layout.js";
import { releaseNames } from "../../release/list.js";
import { RecordLines } from "../../release/record/lines.js";
import { parseSnapshot } from "../../release/snapshot.js";

const CHUNK = 2 ** 18;

/** Lists are read only where a state is asked for, and only whose bytes have it are given. */
export class StateLists {
  readonly #memory = Buffer.allocUnsafe(CHUNK);
  /** The folders of releases that say to have a state. */
  readonly #folders = new Map<string, string[]>();
  readonly #found = new Map<string, string | undefined>();

  /** @param folder of a release, with all links resolved. It is alone unless it lies in a `dist`. */
  constructor(folder: string) {
    for (const other of new Set([folder, ...besides(folder)])) {
      const state = findState(other);
      if (state !== undefined) this.#folders.set(state, [...(this.#folders.get(state) ?? []), other]);
    }
  }

  /** The path of a list of records of this state, which is one to its end. */
  async find(state: string): Promise<string | undefined> {
    if (!this.#found.has(state)) this.#found.set(state, await this.#search(state));
    return this.#found.get(state);
  }

  async #search(state: string): Promise<string | undefined> {
    for (const folder of this.#folders.get(state) ?? []) {
      const path = join(folder, RECORDS);
      if ((await this.#digestOf(path)) === state && isList(path)) return path;
    }
    return undefined;
  }

  async #digestOf(path: string): Promise<string | undefined> {
    try {
      return await findDigest(path, this.#memory);
    } catch (error) {
      if (codeOf(error) !== undefined) return undefined;
      throw error;
    }
  }
}

function besides(folder: string): string[] {
  const releases = dirname(folder);
  if (basename(releases) !== RELEASES) return [];
  return unlessClosed(() => releaseNames(dirname(releases)).map((name) => join(releases, name))) ?? [];
}

function findState(folder: string): string | undefined {
  const text = unlessClosed(() => readReleaseFileSync(join(folder, SNAPSHOT)));
  return text && parseSnapshot(String(text))?.state;
}

/** Undefined where the system does not let us read it: then it is as if it were not there. */
function unlessClosed<T>(step: () => T): T | undefined {
  try {
    return step();
  } catch (error) {
    if (codeOf(error) !== undefined) return undefined;
    throw error;
  }
}

function isList(path: string): boolean {
  const list = new RecordLines(path);
  try {
    return list.measure().rest === 0;
  } catch (error) {
    if (error instanceof UserError) return false;
    throw error;
  } finally {
    list.close();
  }
}
