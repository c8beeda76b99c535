/** The two sides of a diff, where one or none of them may be named. */
import type { Side } from "../diff/side.js";
import { CURRENT, PREVIOUS } from "../release/layout.js";
import { isSource, openSide, type SideEffects } from "./open.js";

/**
 * Opens both sides; without names, the previous release and the current one.
 * @throws UserError as `openSide` does.
 */
export async function openSides(
  old: string | undefined,
  newer: string | undefined,
  effects: SideEffects,
): Promise<[Side, Side]> {
  const [before, after] = nameSides(old, newer, effects.cwd);
  // A source without a base URL is published as the other side is, so that one is opened first.
  if (isSource(before, effects.cwd)) {
    const now = await openSide(after, effects);
    return [await openSide(before, effects, now.facts.baseUrl), now];
  }
  const side = await openSide(before, effects);
  return [side, await openSide(after, effects, side.facts.baseUrl)];
}

/** A source is what would come; anything else that is named alone is what was. */
function nameSides(old: string | undefined, newer: string | undefined, cwd: string): [string, string] {
  if (old === undefined) return [PREVIOUS, CURRENT];
  if (newer === undefined) return isSource(old, cwd) ? [CURRENT, old] : [old, CURRENT];
  return [old, newer];
}
