/** What a layer of settings replaces in the layers below it. */
import { splitFieldLimit, splitListingLimit } from "../contract/field-limits.js";
import type { Values } from "./check.js";
import { type GivenSettings, LISTING_KEYS, SETTING_KEYS, type SettingKey, settingOf } from "./settings.js";

/**
 * Removes from settings what a higher layer gives: the setting itself, and that of each listing. A table replaces a query, and a
 * query a table. A gate replaces only those for the same listing and field.
 */
export function withoutReplaced<Below extends GivenSettings>(below: Below, above: GivenSettings): Below {
  const left: Record<string, unknown> = { ...below };
  const hasOwn = above.table !== undefined || above.query !== undefined;
  for (const key of SETTING_KEYS) {
    const isReplaced = above[key] !== undefined || (hasOwn && (key === "table" || key === "query"));
    if (isReplaced && !isGate(key)) delete left[key];
  }
  const names = Object.keys(below.listings ?? {});
  for (const key of GATES) {
    const gates = limitsOf(above, key);
    const kept = limitsOf(below, key).filter((limit) => !gates.some((gate) => replaces(key, gate, limit, names)));
    if (below[key] !== undefined) left[key] = kept;
  }
  if (left["listings"] !== undefined) {
    const listings = Object.entries(below.listings ?? {});
    left["listings"] = Object.fromEntries(listings.map(([name, own]) => [name, ownLeft(name, own, above)]));
  }
  return left as Below;
}

/** The settings of a listing without those that a higher layer gives for all listings, and gates that it gives for this one. */
function ownLeft(name: string, own: Values, above: GivenSettings): Values {
  const left: Record<string, unknown> = { ...own };
  for (const key of LISTING_KEYS) {
    if (own[key] === undefined || above[key] === undefined) continue;
    if (!isGate(key)) delete left[key];
    else {
      const gates = limitsOf(above, key);
      left[key] = limitsOf(own, key).filter((limit) => !gates.some((gate) => replacesOwn(key, gate, limit, name)));
    }
  }
  return left;
}

const GATES = SETTING_KEYS.filter(isGate);

function isGate(key: SettingKey): boolean {
  return settingOf(key).kind === "gates";
}

/** The texts of a gate, which may be given as one. */
export function limitsOf(values: Values | GivenSettings, key: SettingKey): string[] {
  const given = (values as Values)[key];
  return [given ?? []].flat().map(String);
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

/** Removes the gates of each listing. */
export function withoutGates<Own extends Values>(listings: Readonly<Record<string, Own>>): Record<string, Own> {
  const withoutOwn = (own: Own) =>
    Object.fromEntries(Object.entries(own).filter(([key]) => !(GATES as string[]).includes(key)));
  return Object.fromEntries(Object.entries(listings).map(([name, own]) => [name, withoutOwn(own) as Own]));
}
