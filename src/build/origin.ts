/**
 * What the current release was made from, kept beside the releases: a build from the same bytes, by the same settings and
 * the same Rollcall, is done without reading a row. It is a fact about one release for all time, so a later build, or a
 * switch, need not take it back.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pageFrame } from "../contract/page.js";
import { CONTRACT_VERSION } from "../contract/user.js";
import { codeOf } from "../errors.js";
import { findDigest, readReleaseFileSync, sha256 } from "../release/files.js";
import { ORIGIN, SUMS } from "../release/layout.js";
import type { Release } from "../release/open.js";
import { findDamage } from "../release/open.js";
import { replaceFile } from "../release/write.js";
import type { Source } from "../source/open.js";
import { pageTextSql } from "../source/page-text.js";
import { AVATAR, type BuildSettings } from "./options.js";
import { SourceBytes } from "./source-digest.js";

/** The file, in JSON: four SHA-256. */
interface Remembered {
  /** What decides besides the source's bytes. */
  settings: string;
  /** The first page of the source's file: most changes are seen there already. */
  beginning: string;
  source: string;
  /** The release's SHA256SUMS, and so every byte of it. */
  release: string;
}

export class Origin {
  readonly #path: string;
  readonly #settings: BuildSettings;
  readonly #source: Source;
  #bytes: SourceBytes | undefined;
  #noted: Promise<Omit<Remembered, "release"> | undefined> | undefined;

  constructor(settings: BuildSettings, source: Source) {
    this.#path = join(settings.out, ORIGIN);
    this.#settings = settings;
    this.#source = source;
  }

  /** Whether a release was made of all that this build would be made of, and every byte of it is right. */
  async isThatOf(release: Release, signal: AbortSignal | undefined): Promise<boolean> {
    const known = this.#read();
    if (known === undefined || known.settings !== this.#digestSettings()) return false;
    const bytes = SourceBytes.find(this.#source.file);
    if (!bytes || bytes.beginning() !== known.beginning) return false;
    if ((await digestOf(release.folder)) !== known.release) return false;
    this.#bytes = bytes;
    const [source, damage] = await Promise.all([bytes.digest(), findDamage(release, signal)]);
    return source === known.source && damage === undefined;
  }

  /** Begins to digest the source's bytes: to be called at the point in time at which all rows are read. */
  note(): void {
    // The plain path goes on where threads gave up.
    if (this.#noted) return;
    const settings = this.#digestSettings();
    const bytes = settings === undefined ? undefined : SourceBytes.find(this.#source.file);
    const beginning = bytes?.beginning();
    if (settings === undefined || bytes === undefined || beginning === undefined) return;
    this.#bytes = bytes;
    this.#noted = bytes.digest().then((source) => {
      return source === undefined ? undefined : { settings, beginning, source };
    });
  }

  /** Keeps what was noted as that of the release in a folder. */
  async keep(folder: string): Promise<void> {
    const noted = await this.#noted;
    try {
      const release = await digestOf(folder);
      if (!noted || release === undefined) return;
      replaceFile(this.#path, `${JSON.stringify({ ...noted, release } satisfies Remembered)}\n`);
    } catch (error) {
      // The release is current; the next build has to read everything, and no more than that.
      if (codeOf(error) === undefined) throw error;
    }
  }

  async end(): Promise<void> {
    await this.#bytes?.end();
  }

  /** Undefined when rows do not depend on bytes and settings alone, or everything is to be read. */
  #digestSettings(): string | undefined {
    const version = this.#settings.workers === 0 ? undefined : this.#source.version();
    return version === undefined ? undefined : sha256(JSON.stringify(allThatDecides(this.#settings, version)));
  }

  #read(): Partial<Remembered> | undefined {
    try {
      const known: unknown = JSON.parse(String(readReleaseFileSync(this.#path)));
      return typeof known === "object" && known !== null ? known : undefined;
    } catch (error) {
      if (error instanceof SyntaxError || codeOf(error) !== undefined) return undefined;
      throw error;
    }
  }
}

function allThatDecides(settings: BuildSettings, source: string): unknown {
  const { pageSize, baseUrl, links, encodings, defaultAvatar, carriesAvatar, extraFiles } = settings;
  const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
  // Texts that pages are made by tell versions apart that are numbered alike, as in a clone that is brought up to date.
  const texts = [pageTextSql(""), pageFrame({ page: 2, pages: 3, count: 3, baseUrl, links }), AVATAR];
  const options = { pageSize, baseUrl, links, encodings, defaultAvatar, carriesAvatar, extraFiles };
  return [version, CONTRACT_VERSION, source, texts, options];
}

function digestOf(folder: string): Promise<string | undefined> {
  return findDigest(join(folder, SUMS), Buffer.allocUnsafe(2 ** 16));
}
