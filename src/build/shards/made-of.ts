/** The inputs of a part, as digests. All parts of a release must have the same inputs. */

import { realpathSync, statSync } from "node:fs";
import { pageFrame } from "../../core/contract/page.js";
import { UserError } from "../../core/errors.js";
import { packageVersion } from "../../core/package.js";
import { listed } from "../../core/print/text.js";
import { digestReleaseFile, sha256 } from "../../core/release/plain-files.js";
import type { Source } from "../../core/source/open.js";
import { pageTextSql } from "../../core/source/page-text.js";
import { textSettingsOf } from "../../core/source/text-format.js";
import type { BuildSettings } from "../options.js";

/** SHA-256 digests. Messages name the keys whose digests differ. */
export interface MadeOf {
  source: string;
  contract: string;
  settings: string;
  /** The version of Rollcall, and those of the compressors if any is used. */
  version: string;
}

/** The digests of all inputs but the source. @throws UserError for a query or a view, which may give other rows on another machine. */
export function settingsOf(settings: BuildSettings, source: Source): Omit<MadeOf, "source"> {
  const { version } = source;
  // In a plain release, references lead nowhere.
  const targets = settings.site === undefined ? [] : source.targets;
  if (version === undefined || targets.includes(undefined))
    throw new UserError(
      "Shards need a table: a query or a view may give other rows on another machine. Make a table of it first, or build on one machine.",
    );
  const { contract, ...data } = settings.data;
  const { baseUrl, links } = data;
  const position = { page: 2, pages: 3, count: 3, baseUrl, path: settings.contract.listing.path, links };
  // These texts can differ between two states of a clone that have the same version number.
  const texts = [pageTextSql(settings.contract, ""), pageFrame(position)];
  const { zlib, brotli } = process.versions;
  const compressors = settings.packs || data.compress.length > 0 ? [zlib, brotli] : [];
  const digest = (value: unknown) => sha256(JSON.stringify(value));
  return {
    contract: digest(contract),
    settings: digest([version, texts, data, textSettingsOf(settings), ...targets]),
    version: digest([packageVersion(), compressors]),
  };
}

/** The digest of the source's files. Call it after the source was read. @throws UserError if the source was written to meanwhile. */
export async function digestOfSource(source: Source, signal: AbortSignal | undefined): Promise<string> {
  const digests: string[] = [];
  for (const file of source.files) {
    const path = realpathSync(file);
    const hasLog = (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
    if (!hasLog) digests.push(await digestReleaseFile(path, signal));
  }
  const [digest = "", ...others] = digests;
  if (digests.length === source.files.length && source.isUnchanged())
    return others.length === 0 ? digest : sha256(JSON.stringify(digests));
  throw new UserError(
    `${listed(source.files)} has a write-ahead log, or was written to while it was read, but every shard needs the same bytes. Make a copy that no program writes to, then run this again with the copy.`,
  );
}
