/** The paths and the names that listings can have. */
import { LISTING_NAME } from "./links.js";

/**
 * Names at the top of a release, in lower case, with which a listing's path and name cannot begin. Those of views and of the Parquet
 * file are reserved only in a build that makes them.
 */
export const TAKEN_NAMES: readonly string[] =
  "contract.json openapi.json snapshot.json records.sha256 bulk.json bulk records.csv.gz datapackage.json changes.json changes feed.xml lookup labels.json index.html explorer sha256sums sha256sums.minisig avatar.svg .mark"
    .split(" ")
    // Files of hosts (hosts/).
    .concat("405.json _worker.js vercel.json .htaccess .assetsignore .nojekyll .release".split(" "));
/** Names that git and Rollcall use in a folder that is published to. */
const KEPT = /^(?:\.git$|\.rollcall-)/i;

/** Maximum characters of a path or a name, so that readers can limit the size of a site's snapshot.json. */
const LONGEST = 200;

/** Says what path a listing must have instead, as the end of "must be ..."; undefined if it is allowed. */
export function whyNotPath(path: string): string | undefined {
  const segments = path.split("/").slice(1, -1);
  if (!/^\/(?:[A-Za-z0-9._~-]+\/)*$/.test(path)) {
    return "a path like /v1/stations/ or just /, with a slash at both ends and segments of letters, digits and . _ ~ -";
  }
  if (path.length > LONGEST) return `a path of at most ${LONGEST} characters`;
  if (segments.some((segment) => segment === "." || segment.startsWith(".."))) {
    return "a path without the segment . and without segments that begin with ..";
  }
  if (segments.some((segment) => KEPT.test(segment))) {
    return "a path without .git and without segments that begin with .rollcall-, which git and Rollcall use";
  }
  return TAKEN_NAMES.includes(segments[0]?.toLowerCase() ?? "")
    ? `a path that does not begin with ${segments[0]}, which a release uses itself`
    : undefined;
}

/** Beginnings of names that SQLite and mirrors keep for themselves. SQLite compares names without case. */
const KEPT_TABLES = /^(?:sqlite|rollcall)_/i;

/**
 * The name of a listing's table in a mirror: in a site, that of the listing; otherwise the contract's word for its records. If that
 * is reserved, one that no listing has.
 * @param name of the listing in its site; empty for one that is not of a site. @param many the word
 */
export function mirrorTable(name: string, many: string): string {
  const wanted = name || many;
  return KEPT_TABLES.test(wanted) ? `_${wanted}` : wanted;
}

/** The note on a table of a mirror that cannot have its own name, if so. */
export function noteOnMirrorTable(name: string, many: string): string | undefined {
  const table = mirrorTable(name, many);
  if (table === (name || many)) return undefined;
  const what = name === "" ? `the listing of ${many}` : `the listing ${name}`;
  return `in a mirror, ${what} is the table ${table}, since names that begin with sqlite_ or rollcall_ are reserved`;
}

/** Further names that a listing cannot have: its own folders at the top of a release, and those of hosts. */
const RESERVED: readonly string[] = [...TAKEN_NAMES, "netlify", "netlify.toml", "pages"];
export const MOST_LISTINGS = 100;

/** A sentence for each mistake in the names of listings. */
export function mistakesInNames(names: readonly string[]): string[] {
  const mistakes: string[] = [];
  if (names.length > MOST_LISTINGS)
    mistakes.push(`has ${names.length} listings; at most ${MOST_LISTINGS} are possible.`);
  const others = new Map<string, string>();
  for (const name of [...names].sort()) {
    const lower = name.toLowerCase();
    const other = others.get(lower);
    const [, above] = [...others].find(([one]) => lower.startsWith(`${one}/`)) ?? [];
    if (!LISTING_NAME.test(name))
      mistakes.push(
        `${JSON.stringify(name)} is not a name: use letters, digits and ._- in segments that begin with a letter or digit, with slashes between them.`,
      );
    else if (name.length > LONGEST) mistakes.push(`${name} is too long; use at most ${LONGEST} characters.`);
    else if (RESERVED.includes(lower.split("/")[0] ?? ""))
      mistakes.push(`${name} is the name of a file or folder of each release; choose another.`);
    else if (other !== undefined) mistakes.push(`${other} and ${name} differ only by case; rename one.`);
    else if (above !== undefined) mistakes.push(`${name} lies below the listing ${above}; rename one.`);
    others.set(lower, name);
  }
  return mistakes;
}
