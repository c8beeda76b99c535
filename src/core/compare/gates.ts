/** Gates: how much a new snapshot may change before a person has to review it. */
import type { Contract } from "../contract/contract.js";
import { fieldPaths, isOver, splitFieldLimit, splitListingLimit, unknownField } from "../contract/field-limits.js";
import { ExitCode, UserError, usageError } from "../errors.js";
import { suggest } from "../print/near.js";
import { count, number } from "../print/numbers.js";
import { shellWord } from "../print/text.js";
import { idOf } from "../release/name.js";
import type { OptionsOf } from "../settings/settings.js";
import type { Diff } from "./change.js";

/** Gates as a user gives them: for all listings, or with the name of one: `1%`, `orders=5%`, `orders.country=10`. */
export type GivenGates = OptionsOf<"maxAdded" | "maxRemoved" | "maxChanged" | "maxField">;

/** The gates of one listing: numbers of records, or percentages of the records of the old snapshot. */
export interface Gates {
  maxAdded: string | undefined;
  maxRemoved: string | undefined;
  maxChanged: string | undefined;
  /** By the path of a field. */
  maxField: ReadonlyMap<string, string>;
}

/** The error for a release that exceeds gates, so it was not made current. */
export class GateError extends UserError {
  /**
   * @param release the name of the release's folder.
   * @param exceeded a sentence with figures for each gate.
   * @param dist the folder of releases, if commands in the message must name it.
   */
  constructor(
    readonly release: string,
    readonly exceeded: readonly string[],
    dist?: string,
  ) {
    const id = idOf(release);
    const flag = dist === undefined ? "" : ` --dist ${shellWord(dist)}`;
    const folder = dist === undefined ? "" : ` ${shellWord(dist)}`;
    super(
      `Release ${release} was built, but current is unchanged, because it exceeds ${exceeded.join("; and ")}. Review it with "rollcall diff current ${id}${flag}"; accept it with "rollcall use ${id}${folder}".`,
      { exitCode: ExitCode.gate },
    );
  }
}

/** The contracts of a listing on both sides; undefined if they are not known. */
type Contracts = readonly Pick<Contract, "fields">[] | undefined;

/**
 * Reads gates. For one listing, its own limit, or one that names it, goes before a limit for all.
 * @param listings all listings by name; only "" without a site.
 * @returns the function that finds the gates of a listing. @param own those that are given in the listing's own settings
 * @throws UserError (usage) for a listing or a field that does not exist, or a gate that is given twice for one listing
 */
export function readGates(
  given: GivenGates,
  listings: ReadonlyMap<string, Contracts>,
): (listing: string, own?: GivenGates) => Gates {
  const names = [...listings.keys()].filter((name) => name !== "");
  const all = {
    maxAdded: limitsIn("maxAdded", given, names),
    maxRemoved: limitsIn("maxRemoved", given, names),
    maxChanged: limitsIn("maxChanged", given, names),
  };
  const allFields = fieldLimitsIn(given, listings);
  return (listing, own = {}) => {
    const where = `listings.${listing}.`;
    const limitOf = (key: LimitKey) => {
      const general = all[key].filter((limit) => limit.listing === undefined);
      const named = all[key].filter((limit) => limit.listing === listing);
      const ownLimits = limitsIn(key, own, [], where);
      requireOnce(general, "all records");
      requireOnce([...ownLimits, ...named], listing);
      return [...general, ...ownLimits, ...named].at(-1)?.limit;
    };
    const contracts = listings.get(listing);
    const general = allFields.filter((limit) => limit.listing === undefined && hasField(contracts, limit.path));
    const named = allFields.filter((limit) => limit.listing === listing);
    const ownFields = fieldLimitsIn(own, new Map([["", contracts]]), where);
    requireOnce(general, "all records");
    requireOnce([...ownFields, ...named], listing);
    return {
      maxAdded: limitOf("maxAdded"),
      maxRemoved: limitOf("maxRemoved"),
      maxChanged: limitOf("maxChanged"),
      maxField: new Map([...general, ...ownFields, ...named].map(({ path, limit }) => [path, limit])),
    };
  };
}

type LimitKey = "maxAdded" | "maxRemoved" | "maxChanged";

/** @param names of all listings; none for gates of one listing. @param where the beginning of the setting's name in messages */
function limitsIn(key: LimitKey, given: GivenGates, names: readonly string[], where = "") {
  const texts = [given[key] ?? []].flat();
  const limits = texts.map((text) => ({ setting: where + key, path: "", ...splitListingLimit(String(text)) }));
  for (const { listing, limit } of limits) {
    if (listing === undefined || names.includes(listing)) continue;
    const what = `${where}${key} names ${JSON.stringify(listing)}`;
    throw usageError(
      names.length === 0
        ? `${what}, but it is for one listing, not for a site of several; give the limit alone: ${limit}.`
        : `${what}, which is not a listing; ${suggest(listing, names)}`,
    );
  }
  return limits;
}

/** A limit on the records of one listing, or of all, or on a field of them. */
interface GivenLimit {
  /** The name of its setting. */
  setting: string;
  listing?: string | undefined;
  /** The path of the field; empty for one on records. */
  path: string;
  limit: string;
}

/** Requires limits to be for different fields. @param limits for the same records. @param whose in messages @throws UserError (usage) */
function requireOnce(limits: readonly GivenLimit[], whose: string): void {
  const seen = new Map<string, GivenLimit>();
  for (const limit of limits) {
    const other = seen.get(limit.path);
    seen.set(limit.path, limit);
    if (!other) continue;
    const what = [limit.path && `the field ${limit.path}`, whose].filter((part) => part !== "").join(" of ");
    throw usageError(
      `${other.setting} ${other.limit} and ${limit.setting} ${limit.limit} are both for ${what}; leave one out.`,
    );
  }
}

/**
 * Reads limits on fields. A path may begin with the name of a listing that has the rest of it: `orders.total`. Names of listings
 * and fields may have dots, so that several fields may be meant: all of them are limited. A listing that only one side has may
 * have any field.
 */
function fieldLimitsIn({ maxField = [] }: GivenGates, listings: ReadonlyMap<string, Contracts>, where = "") {
  return maxField.flatMap((text) => {
    const { path, limit } = splitFieldLimit(text) ?? { path: text, limit: "" };
    const named = [...listings].filter(([listing]) => path.startsWith(`${listing}.`));
    const setting = `${where}maxField`;
    const meant: GivenLimit[] = named.flatMap(([listing, contracts]) => {
      const rest = path.slice(listing.length + 1);
      return hasField(contracts, rest) ? [{ setting, listing, path: rest, limit }] : [];
    });
    const contracts = [...listings.values()].flatMap((found) => found ?? []);
    if (hasField(contracts, path)) meant.push({ setting, path, limit });
    if (meant.length > 0) return meant;
    const fieldsOf = ([listing, found = []]: [string, Contracts]) =>
      found.flatMap(fieldPaths).map((field) => `${listing}.${field}`);
    const known = named.length > 0 ? named.flatMap(fieldsOf) : contracts.flatMap(fieldPaths);
    throw unknownField(setting, path, known);
  });
}

function hasField(contracts: Contracts, path: string): boolean {
  return contracts === undefined || contracts.some((contract) => fieldPaths(contract).includes(path));
}

/** Whether any gate is set. */
export function hasGates({ maxAdded, maxRemoved, maxChanged, maxField }: Gates): boolean {
  return maxField.size > 0 || [maxAdded, maxRemoved, maxChanged].some((gate) => gate !== undefined);
}

/** A sentence for each exceeded gate: `max-removed 10: 23 of 1,204 stations removed (1.9 %)`. */
export function findExceeded(diff: Diff<unknown>, gates: Gates): string[] {
  const { maxAdded, maxRemoved, maxChanged, maxField } = gates;
  const checks: [gate: string, limit: string | undefined, records: number, what: string][] = [
    ["max-added", maxAdded, diff.added, "added"],
    ["max-removed", maxRemoved, diff.removed, "removed"],
    ["max-changed", maxChanged, diff.changed, "changed"],
  ];
  for (const [path, limit] of maxField)
    checks.push([`max-field ${path}`, limit, diff.fields.get(path) ?? 0, `changed in ${path}`]);
  return checks
    .filter(([, limit, records]) => limit !== undefined && isOver(limit, records, diff.old.count))
    .map(([gate, limit, records, what]) => `${gate} ${limit}: ${describe(records, diff, what)}`);
}

function describe(records: number, { old, new: { contract } }: Diff<unknown>, what: string): string {
  const share = old.count === 0 ? "" : ` (${number((records / old.count) * 100)} %)`;
  return `${number(records)} of ${count(old.count, contract.listing.words)} ${what}${share}`;
}

/** A listing that only one of two sites has. */
export interface LoneListing {
  name: string;
  count: number;
}

/** A sentence for the exceeded gate, if any, of a listing that was added or removed. All of its records count. */
export function findExceededByListing(lone: LoneListing, what: "added" | "removed", gates: Gates): string[] {
  const limit = what === "added" ? gates.maxAdded : gates.maxRemoved;
  const before = what === "added" ? 0 : lone.count;
  if (limit === undefined || !isOver(limit, lone.count, before)) return [];
  return [`max-${what} ${limit}: the listing ${lone.name} was ${what}, with ${count(lone.count, "record")}`];
}
