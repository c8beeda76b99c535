/** The list of files that Rollcall owns in a target, stored in the target. Other files there are never touched. */
import { dirname } from "node:path";
import * as z from "zod";
import { parseAs } from "../core/contract/json.js";
import { UserError } from "../core/errors.js";
import { PagePaths } from "../core/release/layout.js";
import { SITE_PATH } from "../core/release/location.js";
import { holderSchema } from "./holder.js";
import { isPublishable, type ReleaseFiles } from "./order.js";

/** The path of a listing: `/v1/stations/`, or `/`. */
const listingPath = z
  .string()
  .regex(/^\/(?:[\w.~-]+\/)*$/)
  .refine((path) => isPublishable(new PagePaths(path).folder));

const ownedSchema = z.strictObject({
  rollcall: z.literal(1),
  release: z.string().regex(/^[0-9a-f]{12}$/),
  /** False from before the first change of a run until after its last removal. */
  complete: z.boolean(),
  /** The path of the release, see `locationOf`. While it replaces one with another path, both. */
  paths: z.array(z.union([listingPath, z.literal(SITE_PATH)])).min(1),
  /** The pages of each listing. While a release replaces another, those of both. */
  listings: z.array(
    z.strictObject({
      path: listingPath,
      /** The number of pages, each in all variants. */
      pages: z.int().min(0).max(999_999_999),
      variants: z.array(z.enum(["identity", "br", "gzip"])),
    }),
  ),
  others: z.array(z.string().refine(isPublishable)),
  /** Only in a folder: the highest modification time that a file ever got, in seconds since 1970. */
  time: z.int().optional(),
  /** Only in a bucket: the `--cache-control` of all objects, if it is the same for all. */
  cacheControl: z.string().optional(),
  /** Only in a bucket: the run that holds its lock. */
  holder: holderSchema.optional(),
});

/** The files that Rollcall owns in a target. Its size does not grow with the number of pages. */
export type Owned = z.infer<typeof ownedSchema>;

/** The files owned when a target holds exactly one release. */
export function ownedBy({ id, location, listings, others }: ReleaseFiles, cacheControl?: string): Owned {
  return {
    rollcall: 1,
    release: id,
    complete: true,
    paths: [location.path],
    listings: listings.map(({ paths, digests }) => {
      return { path: paths.listing, pages: digests.pages, variants: [...digests.variants] };
    }),
    others: [...others],
    ...(cacheControl !== undefined && { cacheControl }),
  };
}

/** The list of a target without any files of Rollcall. */
export function ownedNothing(files: ReleaseFiles): Owned {
  return { ...ownedBy(files), complete: false, listings: [], others: [] };
}

/** The files owned while one release replaces another: those of both. */
export function ownedBetween(before: Owned | undefined, after: Owned): Owned {
  const { cacheControl, ...own } = after;
  const listings = new Map(after.listings.map((listing) => [listing.path, listing]));
  for (const { path, pages, variants } of before?.listings ?? []) {
    const same = listings.get(path);
    listings.set(path, {
      path,
      pages: Math.max(pages, same?.pages ?? 0),
      variants: union(variants, same?.variants),
    });
  }
  return {
    ...own,
    complete: false,
    paths: union(after.paths, before?.paths),
    listings: [...listings.values()],
    others: union(before?.others ?? [], after.others),
    ...(cacheControl !== undefined && (before ?? after).cacheControl === cacheControl && { cacheControl }),
  };
}

/** Makes the test whether Rollcall owns a file. */
export function ownership({ listings, others }: Owned): (path: string) => boolean {
  const files = new Set(others);
  const folders = new Map(
    listings.map((listing) => {
      const paths = new PagePaths(listing.path);
      return [paths.folder, { ...listing, paths }] as const;
    }),
  );
  return (path) => {
    if (files.has(path)) return true;
    const listing = folders.get(dirname(path));
    const found = listing?.paths.find(path);
    if (!listing || !found) return false;
    return found.page <= listing.pages && listing.variants.includes(found.variant);
  };
}

/** Encodes a list of owned files, as `parseOwned` reads it. */
export function encodeOwned(owned: Owned): string {
  return `${JSON.stringify(owned)}\n`;
}

/** Reads a list of owned files. @throws UserError if the text is not one. */
export function parseOwned(text: string, name: string): Owned {
  const owned = parseAs(ownedSchema, text);
  if (owned) return owned;
  throw new UserError(`${name} is not a list that Rollcall wrote; restore it, or remove it.`);
}

function union<T>(one: readonly T[], other: readonly T[] = []): T[] {
  return [...new Set([...one, ...other])];
}
