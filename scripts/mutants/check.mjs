/**
 * Checks the list of faults: each text is in src once, each test exists, and tests of `.ci/run` should find most faults. Part of
 * `npm run check`. Exit code 2 if the list is wrong.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { MUTANTS } from "./mutants.mjs";

const ROOT = join(import.meta.dirname, "../..");
/** Minimum number of faults that have a test in a tier of `.ci/run`. */
const LEAST_BY_CHANGE = 80;

const mistakes = MUTANTS.flatMap(({ name, file, from, tests }) => {
  const path = join(ROOT, file);
  const times = existsSync(path) ? readFileSync(path, "utf8").split(from).length - 1 : 0;
  const found = times === 1 ? [] : [`${name}: ${file} must contain this text once, but has it ${times} times: ${from}`];
  const missing = tests.filter((test) => !existsSync(join(ROOT, test)));
  return [...found, ...missing.map((test) => `${name}: there is no ${test}`)];
});
const byChange = MUTANTS.filter(({ tests }) => tests.some((test) => !test.endsWith(".nightly.test.ts"))).length;
if (byChange < LEAST_BY_CHANGE)
  mistakes.push(
    `${byChange} faults have a test that .ci/run runs; ${LEAST_BY_CHANGE} must. Write unit or system tests.`,
  );
if (mistakes.length > 0) {
  for (const mistake of mistakes) console.error(mistake);
  console.error("Update scripts/mutants/mutants.mjs.");
  process.exit(2);
}
