/** Checks candidates against the contract, and describes their problems. */
import type { Contract } from "../core/contract/contract.js";
import { recordCheck } from "../core/contract/record/schema.js";
import { valueAt } from "../core/contract/record/value.js";
import { countWarning, fieldObserver, type WarningCounts } from "../core/contract/record/warnings.js";
import { quoteName } from "../core/contract/sql.js";
import type { Candidate } from "../core/source/candidates.js";
import { shownNumber, Unfit } from "../core/source/values.js";
import type { Problem } from "./problems.js";

/**
 * Makes a function that returns the problems of a candidate, or counts its warnings if it has none.
 * @param isOfText whether candidates come from text files, in which a CAST would only hide what differs
 */
export function validator(
  contract: Contract,
  isOfText = false,
): (candidate: Candidate, warnings: WarningCounts) => Problem[] {
  const check = recordCheck(contract);
  const observe = fieldObserver(contract);
  const columns = new Map(contract.fields.map(({ path, column }) => [path, column]));
  return ({ id, place, record, isRepeated, lost, unmet }, warnings) => {
    const shownId = id instanceof Unfit ? id.value : id;
    // A key names a row of SQLite, unless it is an empty text.
    const known = { id: shownId, ...(id === "" || place.line !== undefined ? place : {}) };
    const problems = check(record).map(({ path: names, rule, message }): Problem => {
      const path = names.join(".");
      const value = valueAt(record, { names: names.map(String) });
      const problem = { ...known, path, rule, value: shown(value), message };
      if (!(value instanceof Unfit)) return problem;
      const column = isOfText ? undefined : columns.get(path);
      return { ...problem, rule: "type", value: value.value, message: message + storageNote(value, column) };
    });
    const { path } = contract.key;
    if (id === "") {
      if (!problems.some((problem) => problem.path === path))
        problems.push({ ...known, path, rule: "key", value: id, message: "must not be empty, since it is the key" });
    }
    // All records of a key are invalid, since it is unknown which of them is right.
    else if (isRepeated) problems.push({ ...known, path, rule: "unique", value: shownId, message: "must be unique" });
    for (const { field, to, isObserved } of lost) {
      const value = valueAt(record, field);
      // A value of another type is a problem already, and no key.
      if (isObserved || value instanceof Unfit) continue;
      const message = `must be the key of a record of ${to}`;
      problems.push({ ...known, path: field.path, rule: "reference", value: shown(value), message });
    }
    if (problems.length > 0) return problems;
    observe(
      record,
      warnings,
      lost.map(({ field }) => field.path),
    );
    for (const name of unmet) countWarning(warnings, name);
    return problems;
  };
}

/** A value for JSON: a number that is not finite as a text. */
function shown(value: unknown): unknown {
  return typeof value === "number" ? shownNumber(value) : value;
}

/** The end of a message: `, is TEXT; CAST("readings" AS INTEGER) would fix it`. */
function storageNote({ storage, cast }: Unfit, column: string | undefined): string {
  const fix = cast && column !== undefined ? `; CAST(${quoteName(column)} AS ${cast}) would fix it` : "";
  return `, is ${storage}${fix}`;
}
