/** The list of files that Rollcall owns in a target, stored in the target. Other files there are never touched. */
import { z } from "zod";
import { parseAs } from "../contract/json.js";
import { UserError } from "../errors.js";
import { PagePaths } from "../release/layout.js";
import { holderSchema } from "./holder.js";
import { isPublishable, type ReleaseFiles } from "./order.js";

const listingPages = {
  /** The path of the listing: `/v1/stations/`, or `/`. */
  path: z
    .string()
    .regex(/^\/(?:[\w.~-]+\/)*$/)
    .refine((path) => isPublishable(new PagePaths(path).folder)),
  /** The number of pages, each in all variants. */
  pages: z.int().min(0).max(999_999_999),
  variants: z.array(z.enum(["identity", "br", "gzip"])),
};

const ownedSchema = z.strictObject({
  rollcall: z.literal(1),
  release: z.string().regex(/^[0-9a-f]{12}$/),
  /** False from before the first change of a run until after its last removal. */
  complete: z.boolean(),
  ...listingPages,
  others: z.array(z.string().refine(isPublishable)),
  /** While a listing replaces others with other paths: their pages. */
  former: z.array(z.strictObject(listingPages)).optional(),
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
export function ownedBy({ snapshot, paths, pages, variants, others }: ReleaseFiles, cacheControl?: string): Owned {
  return {
    rollcall: 1,
    release: snapshot.id,
    complete: true,
    path: paths.listing,
    pages,
    variants: [...variants],
    others: [...others],
    ...(cacheControl !== undefined && { cacheControl }),
  };
}

/** The list of a target without any files of Rollcall. */
export function ownedNothing(files: ReleaseFiles): Owned {
  return { ...ownedBy(files), complete: false, pages: 0, others: [] };
}

/** The files owned while one release replaces another: those of both. */
export function ownedBetween(before: Owned | undefined, after: Owned): Owned {
  const { cacheControl, ...own } = after;
  const listings = before ? listingsOf(before) : [];
  const same = listings.find(({ path }) => path === after.path);
  const former = listings.filter((listing) => listing !== same);
  return {
    ...own,
    complete: false,
    pages: Math.max(same?.pages ?? 0, after.pages),
    variants: union(same?.variants, after.variants),
    others: union(before?.others, after.others),
    ...(former.length > 0 && { former }),
    ...(cacheControl !== undefined && (before ?? after).cacheControl === cacheControl && { cacheControl }),
  };
}

type ListingPages = Pick<Owned, "path" | "pages" | "variants">;

/** All listings with pages in a target, the published one first. */
export function listingsOf({ path, pages, variants, former = [] }: Owned): ListingPages[] {
  return [{ path, pages, variants }, ...former];
}

/** Whether Rollcall owns a file. */
export function owns(owned: Owned, path: string): boolean {
  const isPage = ({ path: listing, pages, variants }: ListingPages) => {
    const found = new PagePaths(listing).find(path);
    return found !== undefined && found.page <= pages && variants.includes(found.variant);
  };
  return listingsOf(owned).some(isPage) || owned.others.includes(path);
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

function union<T>(one: readonly T[] = [], other: readonly T[]): T[] {
  return [...new Set([...one, ...other])];
}
