/** The options of a build. Their defaults and ranges are in the settings table; `rollcall build --help` lists them. */
import { z } from "zod";
import { describeApi } from "../artifacts/openapi/openapi.js";
import { parseBaseUrl } from "../contract/base-url.js";
import { requireFieldLimits } from "../contract/field-limits.js";
import { loadContract } from "../contract/file/load.js";
import { ENCODINGS, type Encoding } from "../contract/headers.js";
import { AVATAR_PATH } from "../contract/links.js";
import { GATES, type Gates } from "../diff/gates.js";
import { usageError } from "../errors.js";
import { BULK, CHANGES, CSV, EXPLORER, isPacked, LOOKUP, SIGNATURE } from "../release/layout.js";
import type { Password } from "../release/signer.js";
import { abortSignal, anyObject, callback, checkOptions, type OptionRules, type Rule } from "../settings/options.js";
import { dataOf, type OptionsOf, pick, SOURCE_SETTINGS, type SourceSetting } from "../settings/settings.js";
import { SETTINGS } from "../settings/table.js";

export interface BuildOptions
  extends OptionsOf<
    | SourceSetting
    | "keep"
    | "adapt"
    | "basePath"
    | "cacheControl"
    | "bulk"
    | "csv"
    | "lookup"
    | "explorer"
    | "changes"
    | "signKey"
    | "join"
    | "force"
  > {
  /** The SQLite file of records. */
  db: string;
  /** The URL that the listing will be served at: absolute http(s), optionally with a path. */
  baseUrl: string;
  /** The folder of releases. It is created if it does not exist. */
  dist: string;
  /** Content codings to store each page in as well. */
  encodings?: readonly Encoding[] | undefined;
  /** How much may change. A release that changes more is built, but does not become current. */
  gates?: Gates | undefined;
  /** A file to write every problem to, as NDJSON. */
  problemsFile?: string | undefined;
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

const { compress, problems } = SETTINGS;
/** Has no `allowed` text, so that no message repeats the value. */
const passwordRule: Rule = {
  schema: z.custom((value) => typeof value === "string" || typeof value === "function" || value instanceof Uint8Array, {
    error: "Must be text, bytes, or a function that gives either.",
  }),
};

const RULES: OptionRules<BuildOptions> = {
  ...pick(
    "db",
    "baseUrl",
    "dist",
    "keep",
    "adapt",
    "basePath",
    "cacheControl",
    "bulk",
    "csv",
    "lookup",
    "explorer",
    "changes",
    "signKey",
    "join",
    "force",
    ...SOURCE_SETTINGS,
  ),
  encodings: compress,
  problemsFile: problems,
  gates: anyObject,
};

export const BUILD_EFFECTS: OptionRules<BuildEffects> = {
  now: callback,
  onProgress: callback,
  signal: abortSignal,
  signPassword: passwordRule,
};

export type BuildSettings = Awaited<ReturnType<typeof resolveOptions>>;

/** Checks and completes the options of a build. @throws UserError (usage) naming every option that is unknown, missing or not allowed. */
export async function resolveOptions(given: BuildOptions) {
  const options = checkOptions("build", given, RULES, ["db", "baseUrl", "dist"]);
  if (options.table !== undefined && options.query !== undefined)
    throw usageError("build: table and query exclude each other; give one of them.");
  const contract = await loadContract(options.contract);
  const baseUrl = parseBaseUrl(options.baseUrl, contract.listing.path);
  // Always in one order, so that the same options make the same release.
  const encodings = ENCODING_NAMES.filter((encoding) => options.encodings?.includes(encoding));
  const hasAvatars = contract.fields.some(({ schema }) => schema["x-null"] && "setting" in schema["x-null"]);
  const carriesAvatar = hasAvatars && options.defaultAvatar === undefined;
  const links = options.links ?? SETTINGS.links.default;
  const bulk = options.bulk ?? false;
  const csv = options.csv ?? false;
  const explorer = options.explorer ?? false;
  const lookup = explorer || (options.lookup ?? false);
  // Loaded only when needed: most builds have no files for other hosts.
  const hosts = options.adapt?.length ? await import("../hosts/published.js") : undefined;
  const chosen = { ...options, contract, baseUrl, encodings, carriesAvatar, lookup, explorer };
  const forHosts = hosts?.publishedFiles({ ...chosen, adapt: options.adapt ?? [] }) ?? [];
  const changes = options.changes ?? SETTINGS.changes.default;
  const files = [
    ...(carriesAvatar ? [AVATAR_PATH] : []),
    ...(bulk ? [BULK] : []),
    ...(csv ? [CSV] : []),
    ...(changes > 0 ? [CHANGES] : []),
    ...(lookup ? [LOOKUP] : []),
    ...(explorer ? [EXPLORER] : []),
    ...(options.signKey === undefined ? [] : [SIGNATURE]),
  ];
  const gates = checkOptions("gates", options.gates ?? {}, GATES);
  requireFieldLimits("maxField", gates.maxField ?? [], contract);
  const defaultAvatar = options.defaultAvatar ?? `${baseUrl}/${AVATAR_PATH}`;
  const pageSize = options.pageSize ?? SETTINGS.pageSize.default;
  const paging = { pageSize, links, defaultAvatar, bulk, csv };
  return {
    ...chosen,
    ...paging,
    data: dataOf({ ...paging, contract: contract.file, baseUrl, compress: encodings, lookup, explorer }),
    keep: options.keep ?? SETTINGS.keep.default,
    description: describeApi(contract, { baseUrl, links, encodings, files }),
    forHosts,
    files,
    /** Whether records are compressed together. */
    packs: files.some((path) => path === BULK || isPacked(path)),
    changes,
    skipInvalid: options.skipInvalid ?? false,
    force: options.force ?? false,
    gates,
  };
}
