/** The sides of snapshots of one listing. */
import type { Side } from "../../../src/core/compare/side.js";
import { findBoth, findNamed, type SideEffects } from "../../../src/diff/sides/named.js";

export async function openOnly(name: string, effects: SideEffects): Promise<Side> {
  return (await findNamed(name, effects)).open("");
}

export async function openBoth(old: string, now: string, effects: SideEffects): Promise<[Side, Side]> {
  const [before, after] = await findBoth(old, now, effects);
  return [await before.open(""), await after.open("")];
}
