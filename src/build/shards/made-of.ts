/** What a part was made of. Parts of one release were made of the same, byte for byte. */
import { UserError } from "../../errors.js";
import { sha256 } from "../../release/files.js";
import type { Source } from "../../source/open.js";
import type { BuildSettings } from "../options.js";
import { type Origin, pageSettings } from "../origin/origin.js";

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
  const version = source.version();
  if (version === undefined)
    throw new UserError(
      "Shards are of a table: a query or a view may say something else on another machine. Make a table of it first, or build on one machine.",
    );
  const { rollcall, contract, options } = pageSettings(settings, version);
  const { zlib, brotli } = process.versions;
  const compressors = settings.bulk || settings.encodings.length > 0 ? [zlib, brotli] : [];
  const digest = (value: unknown) => sha256(JSON.stringify(value));
  return { contract: digest(contract), settings: digest(options), version: digest([rollcall, compressors]) };
}

/** To be called after what was read. @throws UserError when somebody writes to the source. */
export async function requireSourceDigest(origin: Origin, db: string): Promise<string> {
  const source = await origin.sourceDigest();
  if (source !== undefined) return source;
  throw new UserError(
    `${db} cannot be digested, or was written to while it was read: every shard needs the same bytes. Give them a copy that nobody writes to, then run this again.`,
  );
}
