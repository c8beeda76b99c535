/** A release being written: aside, and of no concern to any reader until it appears whole. */
import { mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { encodeSums, type PageDigests } from "./digests.js";
import { flushFolder, sha256, writeFlushed } from "./files.js";
import { folderName, OUTDATED, PAGES, RELEASES, SNAPSHOT, STAGING, SUMS, TRASH_PREFIX } from "./layout.js";
import { encodeSnapshot, type Snapshot } from "./snapshot.js";

export class Staging {
  readonly folder: string;
  readonly #dist: string;
  readonly #others = new Map<string, string>();

  /** Begins with an empty folder, clearing what a killed build or removal, or an earlier version, has left. Needs the lock of `dist`. */
  constructor(dist: string) {
    this.#dist = dist;
    this.folder = join(dist, STAGING);
    for (const name of readdirSync(dist)) {
      if ([STAGING, ...OUTDATED].includes(name) || name.startsWith(TRASH_PREFIX))
        rmSync(join(dist, name), { recursive: true });
    }
    mkdirSync(join(this.folder, PAGES), { recursive: true });
    mkdirSync(join(dist, RELEASES), { recursive: true });
  }

  /** Removes all pages that have been written so far. */
  clear(): void {
    const pages = join(this.folder, PAGES);
    rmSync(pages, { recursive: true });
    mkdirSync(pages);
  }

  /** Writes a file that is no page, flushed. */
  async writeOther(path: string, content: string): Promise<void> {
    await writeFlushed(join(this.folder, path), content);
    this.listOther(path, sha256(content));
  }

  /** Lists a file that is no page and has been written already. */
  listOther(path: string, digest: string): void {
    this.#others.set(path, digest);
  }

  /** The digests of the files that are no pages, by path. */
  get others(): ReadonlyMap<string, string> {
    return new Map([...this.#others].sort());
  }

  /**
   * Writes snapshot.json and SHA256SUMS and makes the release appear by one rename, all of it flushed.
   * @returns its folder's name.
   */
  async finish(snapshot: Snapshot, pages: PageDigests, now: Date): Promise<string> {
    await this.writeOther(SNAPSHOT, encodeSnapshot(snapshot));
    await writeFlushed(join(this.folder, SUMS), joined(encodeSums({ pages, others: this.others })));
    for (let path = PAGES; path !== "."; path = dirname(path)) await flushFolder(join(this.folder, path));
    await flushFolder(this.folder);
    const name = this.#freeName(now, snapshot.id);
    renameSync(this.folder, join(this.#dist, RELEASES, name));
    await flushFolder(join(this.#dist, RELEASES));
    return name;
  }

  discard(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Two releases of one id can come in one second when data goes back and forth; the later one's time moves on. */
  #freeName(now: Date, id: string): string {
    const taken = new Set(readdirSync(join(this.#dist, RELEASES)));
    let time = now;
    while (taken.has(folderName(time, id))) time = new Date(time.getTime() + 1000);
    return folderName(time, id);
  }
}

const LINES_AT_ONCE = 1000;

/** The same text in fewer pieces: each is written by itself, and all of them together are long. */
function* joined(lines: Iterable<string>): Generator<string> {
  let some: string[] = [];
  for (const line of lines) {
    some.push(line);
    if (some.length < LINES_AT_ONCE) continue;
    yield some.join("");
    some = [];
  }
  yield some.join("");
}
