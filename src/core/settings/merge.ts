/** Merges layers of settings: what a higher layer gives replaces what a lower one does, also for each listing of a site. */
import { splitFieldLimit, splitListingLimit } from "../contract/field-limits.js";
import type { Values } from "./check.js";
import {
  type GivenSettings,
  LISTING_KEYS,
  SETTING_KEYS,
  type SettingKey,
  type Settings,
  settingOf,
} from "./settings.js";

type Files = NonNullable<GivenSettings["files"]>;
type Listings = NonNullable<GivenSettings["listings"]>;

/**
 * Merges a layer over those below it. It also wins over the settings of each listing and file below. A table replaces a query below, and a
 * query a table. A gate replaces only those below for the same listing and field.
 */
export function merge(above: GivenSettings, below: Settings): Settings {
  const { table, query, ...others } = below;
  const hasOwn = above.table !== undefined || above.query !== undefined;
  const listings = above.listings ?? (below.listings && withoutReplaced(below.listings, above));
  const files = above.files ?? (below.files && withoutGiven(below.files, above));
  const names = Object.keys(below.listings ?? {});
  const gates = GATES.filter((key) => above[key] !== undefined).map((key) => {
    const given = limitsOf(above, key);
    const kept = limitsOf(below, key).filter((limit) => !given.some((gate) => replaces(key, gate, limit, names)));
    return [key, [...kept, ...given]] as const;
  });
  return {
    ...(hasOwn ? others : below),
    ...above,
    ...(listings && { listings }),
    ...(files && { files }),
    ...Object.fromEntries(gates),
  };
}

/** The settings of listings without those that a higher layer gives for all, and gates that it gives for the same records. */
function withoutReplaced(listings: Listings, above: GivenSettings): Listings {
  const ownLeft = ([name, own]: [string, Values]) => {
    const left: Record<string, unknown> = { ...own };
    for (const key of LISTING_KEYS) {
      if (own[key] === undefined || above[key] === undefined) continue;
      if (!isGate(key)) delete left[key];
      else {
        const given = limitsOf(above, key);
        left[key] = limitsOf(own, key).filter((limit) => !given.some((gate) => replacesOwn(key, gate, limit, name)));
      }
    }
    return [name, left] as const;
  };
  return Object.fromEntries(Object.entries(listings).map(ownLeft));
}

/** The settings of files without those that a higher layer gives for all. */
function withoutGiven(files: Files, above: GivenSettings): Files {
  const ownLeft = ([name, own]: [string, Values]) =>
    [name, Object.fromEntries(Object.entries(own).filter(([key]) => above[key as SettingKey] === undefined))] as const;
  return Object.fromEntries(Object.entries(files).map(ownLeft));
}

/** Removes the gates of each listing. */
export function withoutGates(listings: Listings): Listings {
  const withoutOwn = (own: Values) =>
    Object.fromEntries(Object.entries(own).filter(([key]) => !(GATES as string[]).includes(key)));
  return Object.fromEntries(Object.entries(listings).map(([name, own]) => [name, withoutOwn(own)]));
}

const GATES = SETTING_KEYS.filter(isGate);

function isGate(key: SettingKey): boolean {
  return settingOf(key).kind === "gates";
}

/** The texts of a gate. */
function limitsOf(values: Values, key: SettingKey): string[] {
  return [values[key] ?? []].flat().map(String);
}

/** Whether a gate of a higher layer is for all that one of a lower layer is for. @param names of all listings */
function replaces(key: SettingKey, above: string, below: string, names: readonly string[]): boolean {
  if (key !== "maxField") {
    const { listing } = splitListingLimit(above);
    return listing === undefined || listing === splitListingLimit(below).listing;
  }
  const path = pathOf(above);
  return [path, ...names.map((name) => `${name}.${path}`)].includes(pathOf(below));
}

/** Whether a gate of a higher layer is also for what a listing's own gate is for. */
function replacesOwn(key: SettingKey, above: string, own: string, name: string): boolean {
  if (key !== "maxField") return [undefined, name].includes(splitListingLimit(above).listing);
  return [pathOf(own), `${name}.${pathOf(own)}`].includes(pathOf(above));
}

function pathOf(text: string): string {
  return splitFieldLimit(text)?.path ?? text;
}
