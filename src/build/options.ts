/** What a build is asked for, and what it takes for granted. */
import { ENCODINGS, type Encoding } from "../contract/headers.js";
import {
  AVATAR_PATH,
  isPublishableUrl,
  LINK_STYLES,
  type LinkStyle,
  PAGE_SIZE,
  parseBaseUrl,
} from "../contract/links.js";
import { type Gates, requireGates } from "../diff/gates.js";
import { usageError } from "../errors.js";

export interface BuildOptions {
  /** The SQLite file of users. */
  db: string;
  /** Where the listing will be reached: absolute http(s), maybe with a path. */
  baseUrl: string;
  /** The folder of releases, made when it is not there. */
  out: string;
  /** Users a page, 1 to 1000; 100 unless given. */
  pageSize?: number | undefined;
  /** A table or view instead of `users`. */
  table?: string | undefined;
  /** The path of a file with a SELECT that yields the columns. */
  query?: string | undefined;
  /** The image URL of users who have none; unless given, an image that is published with the release. */
  defaultAvatar?: string | undefined;
  /** The form of next and previous; `query` unless given. */
  links?: LinkStyle | undefined;
  /** Content codings to write beside each page; none unless given. */
  encodings?: readonly Encoding[] | undefined;
  /** Old releases that stay; 5 unless given. */
  keep?: number | undefined;
  /** Publish without the invalid users instead of refusing. */
  skipInvalid?: boolean | undefined;
  /** How much may change; what changes more is built, but not made current. */
  gates?: Gates | undefined;
  /** A file to write every problem to, as NDJSON. */
  problemsFile?: string | undefined;
  /** Further files for the release's folder, such as a host's own settings; none unless given. */
  besides?: readonly { path: string; text: string }[] | undefined;
  /** Threads that read, check and write pages; as many as there are cores unless given, and none for a small source. */
  workers?: number | undefined;
}

/**
 * Told how many of the source's rows have been read. Here rather than beside the reading, because the library's types
 * must not lead to those of better-sqlite3, which whoever installs the library does not have.
 */
export type OnProgress = (read: { users: number; total: number }) => void;

const DEFAULT_KEEP = 5;
const ENCODING_NAMES = Object.keys(ENCODINGS) as Encoding[];

/** The default avatar that a release carries when no other is given. */
export const AVATAR = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64" role="img" aria-label="No picture">
<rect width="64" height="64" fill="#d5d9e0"/><circle cx="32" cy="25" r="11" fill="#8a93a3"/><path d="M10 64a22 22 0 0 1 44 0z" fill="#8a93a3"/>
</svg>
`;

/** Options with every default filled in and every value in its normal form. */
export type Settings = ReturnType<typeof settle>;

/** @throws UserError (usage) for a value that is not allowed. */
export function settle(options: BuildOptions) {
  const {
    pageSize = PAGE_SIZE.default,
    keep = DEFAULT_KEEP,
    links = "query",
    encodings = [],
    gates = {},
  } = options;
  for (const name of ["db", "baseUrl", "out"] as const) {
    if (typeof options[name] !== "string" || options[name] === "")
      throw usageError(`A build needs ${name}, a text.`);
  }
  if (!Number.isInteger(pageSize) || pageSize < PAGE_SIZE.min || pageSize > PAGE_SIZE.max) {
    throw usageError(
      `Page size must be ${PAGE_SIZE.min} to ${PAGE_SIZE.max} users, got ${JSON.stringify(pageSize)}.`,
    );
  }
  if (!Number.isInteger(keep) || keep < 0)
    throw usageError(`Old releases to keep must be 0 or more, got ${JSON.stringify(keep)}.`);
  if (!LINK_STYLES.includes(links))
    throw usageError(`Links must be ${LINK_STYLES.join(" or ")}, got ${links}.`);
  const foreign = encodings.find((encoding) => !ENCODING_NAMES.includes(encoding));
  if (foreign !== undefined)
    throw usageError(`Encodings must be ${ENCODING_NAMES.join(" or ")}, got ${foreign}.`);
  requireGates(gates);
  const baseUrl = parseBaseUrl(options.baseUrl);
  const defaultAvatar = options.defaultAvatar ?? `${baseUrl}/${AVATAR_PATH}`;
  if (!isPublishableUrl(defaultAvatar)) {
    throw usageError(`Default avatar ${JSON.stringify(defaultAvatar)} must be an absolute http(s) URL.`);
  }
  return {
    ...options,
    baseUrl,
    pageSize,
    keep,
    links,
    // In one order and once each, so that the same wish makes the same release.
    encodings: ENCODING_NAMES.filter((encoding) => encodings.includes(encoding)),
    defaultAvatar,
    carriesAvatar: options.defaultAvatar === undefined,
    skipInvalid: options.skipInvalid ?? false,
    gates,
  };
}
