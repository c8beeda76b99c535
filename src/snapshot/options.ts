/** The options of a build. Their defaults and ranges are in the settings table; `rollcall build --help` lists them. */
import { describeApi } from "../artifacts/openapi/openapi.js";
import { parseBaseUrl } from "../contract/base-url.js";
import { requireFieldLimits } from "../contract/field-limits.js";
import { loadContract } from "../contract/file/load.js";
import { ENCODINGS, type Encoding } from "../contract/headers.js";
import { AVATAR_PATH } from "../contract/links.js";
import { usageError } from "../errors.js";
import { BULK, CHANGES, CSV, EXPLORER, isPacked, LOOKUP, SIGNATURE } from "../release/layout.js";
import type { Password } from "../release/signer.js";
import { type Complete, dataOf, type OptionsFor } from "../settings/settings.js";

export interface BuildOptions extends OptionsFor<"build"> {
  /** The SQLite file of records. */
  db: string;
  /** The URL that the listing will be served at: absolute http(s), optionally with a path. */
  baseUrl: string;
}

/** Defined here because the library's types must not import better-sqlite3's, which its users do not install. */
export type OnBuildProgress = (read: BuildProgress) => void;
interface BuildProgress {
  /** Records, or what `words` name. */
  records: number;
  total: number;
  /** The words for one and for many counted things, if they are not records: megabytes of a text file. */
  words?: readonly [one: string, many: string] | undefined;
}

export interface BuildEffects {
  /** The clock, for the name of the release's folder. */
  now?: (() => Date) | undefined;
  /** Called while a text file is read, then with 0 records, and then as records are read. */
  onProgress?: OnBuildProgress | undefined;
  /** The password of `signKey`, or a function that returns it. The function is called only for a key with a password, before anything is read. */
  signPassword?: Password | undefined;
  /** Stops the build, which then throws the signal's reason. Has no effect once the release is complete. */
  signal?: AbortSignal | undefined;
}

const ENCODING_NAMES = Object.keys(ENCODINGS) as Encoding[];

export type BuildSettings = Awaited<ReturnType<typeof resolveOptions>>;

/** Derives from the options of a build what its stages need. @throws UserError (usage) if they do not fit together */
export async function resolveOptions(options: Complete<BuildOptions>) {
  if (options.table !== undefined && options.query !== undefined)
    throw usageError("build: table and query exclude each other; give one of them.");
  const contract = await loadContract(options.contract);
  const baseUrl = parseBaseUrl(options.baseUrl, contract.listing.path);
  // Always in one order, so that the same options make the same release.
  const encodings = ENCODING_NAMES.filter((encoding) => options.compress?.includes(encoding));
  const hasAvatars = contract.fields.some(({ schema }) => schema["x-null"] && "setting" in schema["x-null"]);
  const carriesAvatar = hasAvatars && options.defaultAvatar === undefined;
  const { bulk, changes, csv, explorer, links, pageSize } = options;
  const lookup = explorer || options.lookup;
  // Loaded only when needed: most builds have no files for other hosts.
  const hosts = options.adapt?.length ? await import("../hosts/published.js") : undefined;
  const chosen = { ...options, contract, baseUrl, encodings, carriesAvatar, lookup, explorer };
  const forHosts = hosts?.publishedFiles({ ...chosen, adapt: options.adapt ?? [] }) ?? [];
  const files = [
    ...(carriesAvatar ? [AVATAR_PATH] : []),
    ...(bulk ? [BULK] : []),
    ...(csv ? [CSV] : []),
    ...(changes > 0 ? [CHANGES] : []),
    ...(lookup ? [LOOKUP] : []),
    ...(explorer ? [EXPLORER] : []),
    ...(options.signKey === undefined ? [] : [SIGNATURE]),
  ];
  requireFieldLimits("maxField", options.maxField ?? [], contract);
  const defaultAvatar = options.defaultAvatar ?? `${baseUrl}/${AVATAR_PATH}`;
  const data = dataOf({
    pageSize,
    links,
    defaultAvatar,
    bulk,
    csv,
    contract: contract.file,
    baseUrl,
    compress: encodings,
    lookup,
    explorer,
  });
  return {
    ...chosen,
    defaultAvatar,
    data,
    description: describeApi(contract, { baseUrl, links, encodings, files }),
    forHosts,
    files,
    /** Whether records are compressed together. */
    packs: files.some((path) => path === BULK || isPacked(path)),
  };
}
