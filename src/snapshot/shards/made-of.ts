/** What a part was made of. Parts of one release were made of the same, byte for byte. */
import { readFileSync, realpathSync, statSync } from "node:fs";
import { pageFrame } from "../../contract/page.js";
import { UserError } from "../../errors.js";
import { digestReleaseFile, sha256 } from "../../release/plain-files.js";
import type { Source } from "../../source/open.js";
import { pageTextSql } from "../../source/page-text.js";
import type { BuildSettings } from "../options.js";

/** SHA-256, by what is named to people when it differs. */
export interface MadeOf {
  source: string;
  contract: string;
  settings: string;
  /** Of the version of Rollcall, and of the programs that compress where any does. */
  version: string;
}

/** @throws UserError for a query or a view, which may say something else on every machine. */
export function settingsOf(settings: BuildSettings, source: Source): Omit<MadeOf, "source"> {
  const { version } = source;
  if (version === undefined)
    throw new UserError(
      "Shards are of a table: a query or a view may say something else on another machine. Make a table of it first, or build on one machine.",
    );
  const { contract, ...data } = settings.data;
  const { baseUrl, links } = data;
  const { version: rollcall } = JSON.parse(readFileSync(new URL("../../../package.json", import.meta.url), "utf8"));
  const position = { page: 2, pages: 3, count: 3, baseUrl, path: settings.contract.listing.path, links };
  // These texts differ between versions of Rollcall with one number, as in a clone that was updated.
  const texts = [pageTextSql(settings.contract, ""), pageFrame(position)];
  const { zlib, brotli } = process.versions;
  const compressors = settings.packs || data.compress.length > 0 ? [zlib, brotli] : [];
  const digest = (value: unknown) => sha256(JSON.stringify(value));
  return {
    contract: digest(contract),
    settings: digest([version, texts, data]),
    version: digest([rollcall, compressors]),
  };
}

/** To be called after what was read. @throws UserError when somebody writes to the source. */
export async function digestOfSource(source: Source, db: string, signal: AbortSignal | undefined): Promise<string> {
  const path = realpathSync(db);
  const hasLog = (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
  const digest = hasLog ? undefined : await digestReleaseFile(path, signal);
  if (digest !== undefined && source.isStill()) return digest;
  throw new UserError(
    `${db} has a write-ahead log, or was written to while it was read: every shard needs the same bytes. Give them a copy that nobody writes to, then run this again.`,
  );
}
