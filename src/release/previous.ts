/** What was current before. */
import { lstatSync, statSync } from "node:fs";
import { join } from "node:path";
import { usageError } from "../errors.js";
import { CURRENT, RELEASES } from "./layout.js";
import { namesIn } from "./prune.js";
import { findCurrent } from "./switch.js";

/** Names the release that was current before the current one. */
export const PREVIOUS = "previous";

/** Milliseconds by which a file system's idea of the time may be behind the clock's. */
const CLOCK_STEP = 20;

/**
 * The folder name of the release of `dist` that was current before the current one. A switch marks the release that it
 * takes off with the time: it is the one marked last before the link was made. One that a gate has refused is never so:
 * refused earlier, it is older; refused later, it is younger than the link.
 * @throws UserError when there is none.
 */
export function findPrevious(dist: string): string {
  const current = findCurrent(dist);
  const switched = lstatSync(join(dist, CURRENT), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const [previous] = namesIn(dist)
    .filter((name) => name !== current)
    .map((name) => ({ name, marked: statSync(join(dist, RELEASES, name)).mtimeMs }))
    .filter(({ marked }) => marked <= switched + CLOCK_STEP)
    .sort((one, other) => other.marked - one.marked);
  if (current !== undefined && previous) return previous.name;
  throw usageError(
    `No release in ${dist} was current before the current one; see "rollcall releases" for those that are there.`,
  );
}
