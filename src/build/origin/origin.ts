/** A build from bytes, settings and a Rollcall that made a release before need not read a row. This remembers them. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isObject } from "../../contract/json.js";
import { pageFrame } from "../../contract/page.js";
import { codeOf } from "../../errors.js";
import { explorerAssets } from "../../explorer/assets.js";
import { findDigest, readReleaseFileSync, sha256 } from "../../release/files.js";
import { AVATAR, ORIGIN, SUMS } from "../../release/layout.js";
import { findDamage, type Release } from "../../release/open.js";
import { replaceFile } from "../../release/write.js";
import type { Source } from "../../source/open.js";
import { pageTextSql } from "../../source/page-text.js";
import type { BuildSettings } from "../options.js";
import { SourceBytes } from "./source-digest.js";

/** What the file holds, in JSON: four SHA-256. */
interface Remembered {
  /** Of everything besides the source's bytes that determines a release. */
  settings: string;
  /** Of the first page of the source's file, where most changes show. */
  beginning: string;
  source: string;
  /** Of the release's SHA256SUMS, and so of every byte of it. */
  release: string;
}

export class Origin {
  #bytes: SourceBytes | undefined;
  #noted: Promise<Pick<Remembered, "beginning" | "source"> | undefined> | undefined;

  constructor(
    private readonly settings: BuildSettings,
    private readonly source: Source,
  ) {}

  /** Whether a release was made from exactly what this build would use, and is intact. */
  async isThatOf(release: Release, signal: AbortSignal | undefined): Promise<boolean> {
    const known = this.#read();
    if (known === undefined || known.settings !== this.#digestSettings()) return false;
    const bytes = SourceBytes.find(this.source.file);
    if (!bytes || bytes.beginning() !== known.beginning) return false;
    if ((await digestOf(release.folder)) !== known.release) return false;
    this.#bytes = bytes;
    const [source, damage] = await Promise.all([bytes.digest(), findDamage(release, signal)]);
    return source === known.source && damage === undefined;
  }

  /** Begins to digest the source's bytes. To be called when the transactions that read the rows have begun. */
  note(): void {
    if (this.#digestSettings() !== undefined) this.#begin();
  }

  /** The digest of the source's bytes; undefined where they cannot be read, or have changed meanwhile. */
  async sourceDigest(): Promise<string | undefined> {
    this.#begin();
    return (await this.#noted)?.source;
  }

  #begin(): void {
    // A single-threaded build continues where several threads gave up.
    if (this.#noted) return;
    const bytes = SourceBytes.find(this.source.file);
    const beginning = bytes?.beginning();
    if (bytes === undefined || beginning === undefined) return;
    this.#bytes = bytes;
    this.#noted = bytes.digest().then((source) => (source === undefined ? source : { beginning, source }));
  }

  async keep(folder: string): Promise<void> {
    const noted = await this.#noted;
    const settings = this.#digestSettings();
    try {
      const release = await digestOf(folder);
      if (!noted || settings === undefined || release === undefined) return;
      replaceFile(this.#path(), `${JSON.stringify({ settings, ...noted, release } satisfies Remembered)}\n`);
    } catch (error) {
      // The release is current all the same. The next build only has to read everything.
      if (codeOf(error) === undefined) throw error;
    }
  }

  async end(): Promise<void> {
    await this.#bytes?.end();
  }

  /** @returns undefined when rows depend on more than bytes and settings, or everything has to be read. */
  #digestSettings(): string | undefined {
    const version = this.settings.workers === 0 ? undefined : this.source.version();
    return version === undefined ? undefined : sha256(JSON.stringify(allSettings(this.settings, version)));
  }

  #path(): string {
    return join(this.settings.out, ORIGIN);
  }

  #read(): Partial<Remembered> | undefined {
    try {
      const known: unknown = JSON.parse(String(readReleaseFileSync(this.#path())));
      return isObject(known) ? known : undefined;
    } catch (error) {
      if (error instanceof SyntaxError || codeOf(error) !== undefined) return undefined;
      throw error;
    }
  }
}

function allSettings(settings: BuildSettings, source: string): unknown {
  const { explorer, carriesAvatar, description, extraFiles } = settings;
  const assets = explorer ? explorerAssets().map(([, bytes]) => sha256(bytes)) : [];
  return [pageSettings(settings, source), AVATAR, assets, { carriesAvatar, description, extraFiles }];
}

/** Everything besides the source's bytes that determines pages and what is made of all records. @param source its version. */
export function pageSettings(settings: BuildSettings, source: string) {
  const { contract, pageSize, baseUrl, links, encodings, bulk, lookup, explorer, defaultAvatar } = settings;
  const { path } = contract.listing;
  const { version } = JSON.parse(readFileSync(new URL("../../../package.json", import.meta.url), "utf8"));
  // These texts differ between versions of Rollcall with one number, as in a clone that was updated.
  const texts = [pageTextSql(contract, ""), pageFrame({ page: 2, pages: 3, count: 3, baseUrl, path, links })];
  const options = { pageSize, baseUrl, links, encodings, bulk, lookup, explorer, defaultAvatar };
  return { rollcall: version, contract: contract.text, options: [source, texts, options] };
}

function digestOf(folder: string): Promise<string | undefined> {
  return findDigest(join(folder, SUMS), Buffer.allocUnsafe(2 ** 16));
}
