/** `rollcall diff`: compares two snapshots: releases, hosts, git revisions or sources. */
import { fieldFilter } from "../core/compare/change.js";
import { compareSides, type OpenDiff } from "../core/compare/compare.js";
import {
  findExceeded,
  findExceededByListing,
  type Gates,
  hasGates,
  type LoneListing,
  readGates,
} from "../core/compare/gates.js";
import type { ReadEffects, Side } from "../core/compare/side.js";
import type { AnyRecord } from "../core/contract/contract.js";
import { requireFields } from "../core/contract/field-limits.js";
import { UserError, unlessStopped, usageError } from "../core/errors.js";
import { suggest } from "../core/print/near.js";
import { listed } from "../core/print/text.js";
import { isOtherListing, listingUrl } from "../core/release/location.js";
import { explainTemporary, makeScratch, removeScratch } from "../core/scratch/folder.js";
import type { Complete, OptionsFor } from "../core/settings/settings.js";
import { findBoth, type Named } from "./sides/named.js";

export interface DiffOptions extends OptionsFor<"diff"> {
  /**
   * The old snapshot: a release's id or its beginning, `current`, `previous`, a release's folder, `git:REV:PATH`, a base URL, or
   * a file of records. The previous release by default.
   */
  old?: string | undefined;
  /** The new snapshot, in one of these forms; the current release by default. */
  new?: string | undefined;
}

export interface DiffEffects {
  onProgress?: ReadEffects["onProgress"] | undefined;
  /** Called with each sentence about how a source was read: `stations.csv: left out 1 empty row, line 4`. */
  onNote?: ReadEffects["onNote"];
  /** Stops the comparison, which throws the signal's reason. */
  signal?: AbortSignal | undefined;
  /** The folder that relative paths and git repositories are resolved against; the working directory by default. */
  cwd?: string | undefined;
}

/** The result of a comparison. Call `close` at the end, since `changes` reads from the disk. */
export interface DiffResult<T = AnyRecord> extends OpenDiff<T> {
  /** A sentence with figures for each exceeded gate. */
  exceeded: readonly string[];
}

/** The comparisons of all listings of two sites, or of one listing. Call `close` at the end. */
export interface DiffResults {
  /** By name; "" for snapshots of one listing. */
  listings: readonly { name: string; comparison: DiffResult }[];
  /** The listings that only the new site has, and only the old one. */
  added: readonly LoneListing[];
  removed: readonly LoneListing[];
  /** A sentence for each gate that an added or a removed listing exceeds. */
  exceeded: readonly string[];
  /** Whether these are all listings of two sites. */
  isWhole: boolean;
  close(): void;
}

/**
 * Compares two snapshots of one listing, record by record.
 * @typeParam T the type of a record, which the caller knows from the contracts.
 * @throws UserError if a side does not exist or cannot be read, or is a site and no listing is named; the signal's reason.
 */
export async function diff<T = AnyRecord>(
  options: Complete<DiffOptions>,
  effects: DiffEffects = {},
): Promise<DiffResult<T>> {
  const { listings, close } = await run(options, effects, true);
  const [first] = listings;
  return { ...(first as { comparison: DiffResult<T> }).comparison, close };
}

/** Compares two snapshots: all listings of two sites, those named by `listing`, or the only ones. @throws as `diff` does */
export async function diffAll(options: Complete<DiffOptions>, effects: DiffEffects): Promise<DiffResults> {
  return run(options, effects, false);
}

async function run(
  options: Complete<DiffOptions>,
  { onProgress, onNote, signal, cwd = "." }: DiffEffects,
  mustBeOne: boolean,
): Promise<DiffResults> {
  const {
    old,
    new: newer,
    dist,
    listing,
    only,
    ignore,
    maxAdded,
    maxRemoved,
    maxChanged,
    maxField,
    ...source
  } = options;
  const scratch = await makeScratch("diff");
  const opened: OpenDiff<unknown>[] = [];
  const close = () => {
    for (const found of opened) found.close();
    removeScratch(scratch);
  };
  try {
    return await unlessStopped(signal, async () => {
      const both = await findBoth(old, newer, { cwd, dist, scratch, source, onProgress, onNote, signal });
      const { names, added, removed } = chooseListings(both, listing, mustBeOne);
      const pairs: { name: string; sides: [Side, Side] }[] = [];
      for (const name of names) pairs.push({ name, sides: [await both[0].open(name), await both[1].open(name)] });
      const contracts = new Map(pairs.map(({ name, sides }) => [name, sides.map(({ facts }) => facts.contract)]));
      const known = both.flatMap(({ site }) => Object.keys(site?.listings ?? {}));
      const given = { maxAdded, maxRemoved, maxChanged, maxField };
      const findGates = readGates(given, new Map([...known.map((name) => [name, undefined] as const), ...contracts]));
      const gatesOf = (name: string) => findGates(name, source.listings?.[name]);
      requireFields("only", only ?? [], ...[...contracts.values()].flat());
      requireFields("ignore", ignore ?? [], ...[...contracts.values()].flat());
      for (const [name, own] of contracts) requireSeen(gatesOf(name), fieldFilter({ only, ignore }, own));
      const listings: { name: string; comparison: DiffResult }[] = [];
      for (const { name, sides } of pairs) {
        const gates = gatesOf(name);
        if (hasGates(gates)) requireOneListing(...sides);
        const found = await compareSides(...sides, { only, ignore, signal });
        opened.push(found);
        listings.push({ name, comparison: { ...found, exceeded: findExceeded(found, gates) } });
      }
      const exceeded = [
        ...added.flatMap((lone) => findExceededByListing(lone, "added", gatesOf(lone.name))),
        ...removed.flatMap((lone) => findExceededByListing(lone, "removed", gatesOf(lone.name))),
      ];
      return {
        listings,
        added,
        removed,
        exceeded,
        isWhole: both[0].site !== undefined && listing === undefined,
        close,
      };
    });
  } catch (error) {
    close();
    throw explainTemporary(error);
  }
}

interface Chosen {
  /** The listings to compare. */
  names: string[];
  added: LoneListing[];
  removed: LoneListing[];
}

/** @throws UserError (usage) if a site would be compared with one listing, or the named listing is not on both sides */
function chooseListings([old, now]: readonly [Named, Named], listing: string | undefined, mustBeOne: boolean): Chosen {
  const [before, after] = [old, now].map(({ site }) => site?.listings);
  const [site, plain] = before ? [old, now] : [now, old];
  if (!before !== !after) {
    const names = Object.keys(site.site?.listings ?? {});
    throw usageError(
      `${site.name} is a site of ${names.length} listings, ${listed(names, MOST_LISTED)}, and ${plain.name} is one listing. Name two sites, or the folder or URL of a listing, such as ${names[0]} in that of the site.`,
    );
  }
  if (!before || !after) {
    if (listing === undefined) return { names: [""], added: [], removed: [] };
    throw usageError(`${now.name} is one listing, not a site of several; leave --listing out.`);
  }
  if (listing !== undefined) {
    for (const { name, site } of [old, now]) {
      const known = Object.keys(site?.listings ?? {});
      if (!known.includes(listing))
        throw usageError(`${name} has no listing ${JSON.stringify(listing)}; ${suggest(listing, known)}`);
    }
    return { names: [listing], added: [], removed: [] };
  }
  const names = Object.keys(after).sort();
  if (mustBeOne)
    throw usageError(
      `${now.name} is a site of several listings; name one of them with listing: ${listed(names, MOST_LISTED)}.`,
    );
  const lone = (of: typeof after, other: typeof after) =>
    Object.entries(of)
      .filter(([name]) => !Object.hasOwn(other, name))
      .map(([name, { count }]) => ({ name, count }))
      .sort((one, next) => (one.name < next.name ? -1 : 1));
  return {
    names: names.filter((name) => Object.hasOwn(before, name)),
    added: lone(after, before),
    removed: lone(before, after),
  };
}

/** Maximum listings that a message names. */
const MOST_LISTED = 20;

/** @param counts whether a field is compared. @throws UserError (usage) for a gate on a field that is not */
function requireSeen({ maxField }: Gates, counts: (path: string) => boolean): void {
  const unseen = [...maxField.keys()].find((path) => !counts(path));
  if (unseen !== undefined)
    throw usageError(
      `The gate on ${unseen} cannot see changes, because only or ignore leaves that field out; include the field, or remove the gate.`,
    );
}

/** @throws UserError if gates would compare two listings. A side without links counts as having the other side's base URL. */
function requireOneListing({ facts: old }: Side, { facts: now }: Side): void {
  const baseUrl = old.baseUrl ?? now.baseUrl ?? "";
  const before = { baseUrl, path: old.contract.listing.path };
  const after = { baseUrl: now.baseUrl ?? baseUrl, path: now.contract.listing.path };
  if (!isOtherListing(before, after)) return;
  throw new UserError(
    `Gates compare snapshots of one listing, but ${old.name} is of ${listingUrl(before)}, and ${now.name} of ${listingUrl(after)}. Name snapshots of one listing, or compare without gates.`,
  );
}
