/** Checks a candidate against the contract, and says in words what is wrong with it. */
import type { Contract } from "../contract/contract.js";
import { recordCheck } from "../contract/record/schema.js";
import { valueAt } from "../contract/record/value.js";
import { countWarning, fieldObserver, type WarningCounts } from "../contract/record/warnings.js";
import { quoteName } from "../contract/sql.js";
import type { Candidate } from "../source/candidates.js";
import { shownNumber, Unfit } from "../source/values.js";
import type { Problem } from "./problems.js";

/** @returns a function that gives the problems of a candidate, or counts its warnings where it has none */
export function validator(contract: Contract): (candidate: Candidate, warnings: WarningCounts) => Problem[] {
  const check = recordCheck(contract);
  const observe = fieldObserver(contract);
  const columns = new Map(contract.fields.map(({ path, column }) => [path, column]));
  return ({ id, record, isRepeated, unmet }, warnings) => {
    const shownId = id instanceof Unfit ? id.value : id;
    const problems = check(record).map(({ path: names, rule, message }): Problem => {
      const path = names.join(".");
      const value = valueAt(record, { names: names.map(String) });
      const shown = typeof value === "number" ? shownNumber(value) : value;
      if (!(value instanceof Unfit)) return { id: shownId, path, rule, value: shown, message };
      return {
        id: shownId,
        path,
        rule: "type",
        value: value.value,
        message: message + whatItIs(value, columns.get(path)),
      };
    });
    // Which record of a key is right is unknown, so all of them are invalid.
    if (isRepeated)
      problems.push({
        id: shownId,
        path: contract.key.path,
        rule: "unique",
        value: shownId,
        message: "must be unique",
      });
    if (problems.length > 0) return problems;
    observe(record, warnings);
    for (const name of unmet) countWarning(warnings, name);
    return problems;
  };
}

/** `, is TEXT; CAST("readings" AS INTEGER) would mend it` */
function whatItIs({ storage, cast }: Unfit, column: string | undefined): string {
  const mend = cast && column !== undefined ? `; CAST(${quoteName(column)} AS ${cast}) would mend it` : "";
  return `, is ${storage}${mend}`;
}
