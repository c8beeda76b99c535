/** Gates: how much a new snapshot may change before a person has to review it. */
import { isOver, splitFieldLimit } from "../contract/field-limits.js";
import { ExitCode, UserError } from "../errors.js";
import { count, number } from "../print/numbers.js";
import { shellWord } from "../print/text.js";
import { idOf } from "../release/name.js";
import type { OptionsOf } from "../settings/settings.js";
import type { Diff } from "./change.js";

/** Maximum changes: numbers of records, or percentages of the records of the old snapshot. */
export type Gates = OptionsOf<"maxAdded" | "maxRemoved" | "maxChanged" | "maxField">;

/** A number of records, or a percentage: `10`, `"10"`, `"2%"`. */
type Limit = number | string;

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
    const [flag, folder] = dist === undefined ? ["", ""] : [` --dist ${shellWord(dist)}`, ` ${shellWord(dist)}`];
    super(
      `Release ${release} was built, but current is unchanged, because it exceeds ${exceeded.join("; and ")}. Review it with "rollcall diff current ${id}${flag}"; accept it with "rollcall use ${id}${folder}".`,
      { exitCode: ExitCode.gate },
    );
  }
}

/** Whether any gate is set. */
export function hasGates({ maxAdded, maxRemoved, maxChanged, maxField = [] }: Gates): boolean {
  return [maxAdded, maxRemoved, maxChanged, maxField[0]].some((gate) => gate !== undefined);
}

/** A sentence for each exceeded gate: `max-removed 10: 23 of 1,204 stations removed (1.9 %)`. */
export function findExceeded(diff: Diff<unknown>, gates: Gates): string[] {
  const { maxAdded, maxRemoved, maxChanged, maxField = [] } = gates;
  const checks: [gate: string, limit: Limit | undefined, records: number, what: string][] = [
    ["max-added", maxAdded, diff.added, "added"],
    ["max-removed", maxRemoved, diff.removed, "removed"],
    ["max-changed", maxChanged, diff.changed, "changed"],
  ];
  for (const text of maxField) {
    const gate = splitFieldLimit(text);
    if (gate)
      checks.push([`max-field ${gate.path}`, gate.limit, diff.fields.get(gate.path) ?? 0, `changed in ${gate.path}`]);
  }
  return checks
    .filter(([, limit, records]) => limit !== undefined && isOver(String(limit), records, diff.old.count))
    .map(([gate, limit, records, what]) => `${gate} ${limit}: ${describe(records, diff, what)}`);
}

function describe(records: number, { old, new: { contract } }: Diff<unknown>, what: string): string {
  const share = old.count === 0 ? "" : ` (${number((records / old.count) * 100)} %)`;
  return `${number(records)} of ${count(old.count, contract.listing.words)} ${what}${share}`;
}
