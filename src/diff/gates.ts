/** Gates: how much a new snapshot may change before a person has to look. */
import { matchingPaths } from "../contract/field-paths.js";
import { ExitCode, UserError } from "../errors.js";
import { count, number } from "../print/numbers.js";
import type { Diff } from "./change.js";

/** Limits as people write them: a number of users, or a percentage of those of the old snapshot. */
export interface Gates {
  maxAdded?: string | undefined;
  maxRemoved?: string | undefined;
  maxChanged?: string | undefined;
  /** `kyc_status=10`, `bio=5%`: users in whom a field changed. */
  maxField?: readonly string[] | undefined;
}

/** A gate was exceeded; each finding is a sentence with its figures. */
export class GateError extends UserError {
  constructor(
    message: string,
    readonly exceeded: readonly string[],
  ) {
    super(message, { exitCode: ExitCode.gate });
  }
}

/** `10`, `2%`, `0.5%` */
export const LIMIT = /^(?:\d{1,15}|\d{1,9}(?:\.\d{1,9})?%)$/;

export function hasGates({ maxAdded, maxRemoved, maxChanged, maxField = [] }: Gates): boolean {
  return [maxAdded, maxRemoved, maxChanged, maxField[0]].some((gate) => gate !== undefined);
}

/** Takes `off_chain.tokens=5%` apart; undefined when it is not a known field and a limit. */
export function parseFieldGate(text: string): { path: string; limit: string } | undefined {
  const [path = "", limit = "", ...rest] = text.split("=");
  const isKnown = matchingPaths(path).includes(path);
  return isKnown && LIMIT.test(limit) && rest.length === 0 ? { path, limit } : undefined;
}

/** A sentence for every gate that is exceeded: `max-removed 10: 23 users of 1,204 removed (1.9 %)`. */
export function findExceeded(diff: Diff, gates: Gates): string[] {
  const { maxAdded, maxRemoved, maxChanged, maxField = [] } = gates;
  const checks: [gate: string, limit: string | undefined, users: number, what: string][] = [
    ["max-added", maxAdded, diff.added, "added"],
    ["max-removed", maxRemoved, diff.removed, "removed"],
    ["max-changed", maxChanged, diff.changed, "changed"],
  ];
  for (const text of maxField) {
    const gate = parseFieldGate(text);
    if (gate)
      checks.push([
        `max-field ${gate.path}`,
        gate.limit,
        diff.fields.get(gate.path) ?? 0,
        `changed in ${gate.path}`,
      ]);
  }
  return checks
    .filter(([, limit, users]) => limit !== undefined && isOver(limit, users, diff.old.count))
    .map(([gate, limit, users, what]) => `${gate} ${limit}: ${describe(users, diff.old.count)} ${what}`);
}

/** Whether so many users of `all` are more than a limit allows; of none, any is. */
function isOver(limit: string, users: number, all: number): boolean {
  if (!limit.endsWith("%")) return users > Number(limit);
  // Multiplied rather than divided: 3 of 100 are exactly 3 %.
  return users * 100 > Number(limit.slice(0, -1)) * all;
}

function describe(users: number, all: number): string {
  const share = all === 0 ? "" : ` (${number((users / all) * 100)} %)`;
  return `${count(users, "user")}${share}, where ${number(all)} were before,`;
}
