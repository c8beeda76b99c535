/** Prints `N passed, N failed` of several JSON reports of Vitest. Arguments: their paths. */
import { existsSync, readFileSync } from "node:fs";

const reports = process.argv
  .slice(2)
  .filter((path) => existsSync(path))
  .map((path) => JSON.parse(readFileSync(path, "utf8")));
const sum = (name) => reports.reduce((total, report) => total + report[name], 0);
console.log(`${sum("numPassedTests")} passed, ${sum("numFailedTests")} failed`);
