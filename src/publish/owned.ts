/** The list of files that Rollcall owns in a target, stored in the target. Other files there are never touched. */
import { dirname } from "node:path";
import * as z from "zod";
import { parseAs } from "../core/contract/json.js";
import { UserError } from "../core/errors.js";
import { PagePaths, VIEWS_FOLDER } from "../core/release/layout.js";
import { SITE_PATH } from "../core/release/location.js";
import { holderSchema } from "./holder.js";
import { isPublishable, pagesAt, type ReleaseFiles } from "./order.js";

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
  /** The pages of views by a field. One text a view, since JSON of 10,000 values takes many times the memory. */
  views: z
    .array(
      z.strictObject({
        /** `/stations/views/country/` */
        path: listingPath,
        variants: z.array(z.enum(["identity", "br", "gzip"])),
        /** The segment of each value, and its number of pages: `AT 3 DE 78`. */
        values: z.string().regex(/^(?:[A-Za-z0-9._~-]+ [1-9][0-9]{0,8}(?: (?!$)|$))*$/),
      }),
    )
    .optional(),
  others: z.array(z.string().refine(isPublishable)),
  /** Only in a folder: the highest modification time that a file ever got, in seconds since 1970. */
  time: z.int().optional(),
  /** Only in a bucket: the `--cache-control` of all objects, if it is the same for all. */
  cacheControl: z.string().optional(),
  /** Only in a bucket: the run that holds its lock. */
  holder: holderSchema.optional(),
});

/** The files that Rollcall owns in a target. Its size does not grow with the number of pages, only with the values of views. */
export type Owned = z.infer<typeof ownedSchema>;

/** Pages below one path, each in all variants. */
type OwnedPages = Owned["listings"][number];

/** The files owned when a target holds exactly one release. */
export function ownedBy({ id, location, pages, others }: ReleaseFiles, cacheControl?: string): Owned {
  const all = pages.flatMap((set) => {
    return [...pagesAt(set)].map((at): OwnedPages => ({ ...at, variants: [...set.digests.variants] }));
  });
  return {
    rollcall: 1,
    release: id,
    complete: true,
    paths: [location.path],
    ...withPages(all),
    others: [...others],
    ...(cacheControl !== undefined && { cacheControl }),
  };
}

/** The path of a value of a view, divided before its segment. */
const VALUE = new RegExp(`^(/(?:.+/)?${VIEWS_FOLDER}/[^/]+/)([^/]+)/$`);

/** Writes pages in the form of the list. */
function withPages(all: Iterable<OwnedPages>): Pick<Owned, "listings" | "views"> {
  const listings: OwnedPages[] = [];
  const views = new Map<string, { path: string; variants: OwnedPages["variants"]; values: string[] }>();
  for (const pages of all) {
    const [, path, segment] = VALUE.exec(pages.path) ?? [];
    if (path === undefined || pages.pages === 0) {
      listings.push(pages);
      continue;
    }
    const { variants } = pages;
    const key = `${path} ${variants.join()}`;
    const view = views.get(key) ?? { path, variants, values: [] };
    view.values.push(`${segment} ${pages.pages}`);
    views.set(key, view);
  }
  if (views.size === 0) return { listings };
  return { listings, views: [...views.values()].map((view) => ({ ...view, values: view.values.join(" ") })) };
}

/** The pages of all listings and views of a list. */
export function* ownedPages({ listings, views = [] }: Pick<Owned, "listings" | "views">): Generator<OwnedPages> {
  yield* listings;
  for (const { path, variants, values } of views)
    for (const [, segment, pages] of values.matchAll(/(\S+) (\d+)/g))
      yield { path: `${path}${segment}/`, pages: Number(pages), variants };
}

/** The list of a target without any files of Rollcall. */
export function ownedNothing(files: ReleaseFiles): Owned {
  const { views: _, ...own } = ownedBy(files);
  return { ...own, complete: false, listings: [], others: [] };
}

/** The files owned while one release replaces another: those of both. */
export function ownedBetween(before: Owned | undefined, after: Owned): Owned {
  const { cacheControl, ...own } = after;
  const all = new Map([...ownedPages(after)].map((pages) => [pages.path, pages]));
  for (const { path, pages, variants } of before ? ownedPages(before) : []) {
    const same = all.get(path);
    all.set(path, {
      path,
      pages: Math.max(pages, same?.pages ?? 0),
      variants: union(variants, same?.variants),
    });
  }
  return {
    ...own,
    complete: false,
    paths: union(after.paths, before?.paths),
    ...withPages(all.values()),
    others: union(before?.others ?? [], after.others),
    ...(cacheControl !== undefined && (before ?? after).cacheControl === cacheControl && { cacheControl }),
  };
}

/** Makes the test whether Rollcall owns a file. */
export function ownership(owned: Owned): (path: string) => boolean {
  const files = new Set(owned.others);
  const folders = new Map<string, OwnedPages & { paths: PagePaths }>();
  for (const pages of ownedPages(owned)) {
    const paths = new PagePaths(pages.path);
    folders.set(paths.folder, { ...pages, paths });
  }
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
