/** Checks candidates against the contract: candidates in, records and problems out. */
import type { Contract } from "../contract/contract.js";
import { recordCheck } from "../contract/record/schema.js";
import { valueAt } from "../contract/record/value.js";
import { countWarning, fieldObserver, type WarningCounts } from "../contract/record/warnings.js";
import { quoteName } from "../contract/sql.js";
import type { Candidate } from "../source/candidates.js";
import type { RowRange } from "../source/copy.js";
import type { Source } from "../source/open.js";
import { Unfit } from "../source/values.js";
import type { OnBuildProgress } from "./options.js";
import type { Problem } from "./problems.js";

const REPORT_EVERY = 1000;

export interface Tally {
  onInvalid(problems: Problem[]): void;
  onProgress: OnBuildProgress;
  warnings: WarningCounts;
}

/** All valid records of a source, or of some rows, in published order. */
export function* readRecords(
  source: Source,
  contract: Contract,
  { onInvalid, onProgress, warnings }: Tally,
  range?: RowRange,
): Generator<unknown, void> {
  const validate = validator(contract);
  let read = 0;
  for (const candidate of source.candidates(range)) {
    if (++read % REPORT_EVERY === 0) onProgress({ records: read, total: range?.rows ?? source.count });
    const problems = validate(candidate, warnings);
    if (problems.length > 0) onInvalid(problems);
    else yield candidate.record;
  }
}

/** Makes what gives the problems of a candidate, or counts its warnings where it has none. */
export function validator(contract: Contract): (candidate: Candidate, warnings: WarningCounts) => Problem[] {
  const check = recordCheck(contract);
  const observe = fieldObserver(contract);
  const columns = new Map(contract.fields.map(({ path, column }) => [path, column]));
  return ({ id, record, isRepeated, unmet }, warnings) => {
    const shownId = id instanceof Unfit ? id.value : id;
    const problems = check(record).map(({ path: names, rule, message }): Problem => {
      const path = names.join(".");
      const value = valueAt(record, { names: names.map(String) });
      if (!(value instanceof Unfit)) return { id: shownId, path, rule, value, message };
      return {
        id: shownId,
        path,
        rule: "type",
        value: value.value,
        message: message + whatItIs(value, columns.get(path)),
      };
    });
    // Nobody can tell which record of one key is right, so none of them is valid.
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
