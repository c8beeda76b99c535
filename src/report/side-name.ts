/** How a report calls a snapshot. */
import type { SideFacts } from "../diff/change.js";

/** Its name, with the id where the name does not say it: `before/current (ac5e31b908dc)`. Not yet safe to print. */
export function sideName({ name, id }: SideFacts): string {
  return id === undefined || name.endsWith(id) ? name : `${name} (${id})`;
}
