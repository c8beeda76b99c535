/** Every host that Rollcall knows, in the order of the table. */
import { usageError } from "../errors.js";
import { apache } from "./apache.js";
import { caddy } from "./caddy.js";
import { nginx } from "./nginx.js";
import type { Target } from "./target.js";

export const TARGETS: readonly Target[] = [nginx, apache, caddy];

/** @throws UserError (usage) for a name that is none. */
export function targetOf(name: string): Target {
  const target = TARGETS.find((candidate) => candidate.name === name);
  if (target) return target;
  throw usageError(
    `There is no host ${JSON.stringify(name)}; known are ${TARGETS.map((known) => known.name).join(", ")}.`,
  );
}
