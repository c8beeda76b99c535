/** A thread that fails or answers, depending on `workerData`. */
import { workerData } from "node:worker_threads";
import Database from "better-sqlite3";
import { UserError } from "../../../src/core/errors.js";
import { answerJobs } from "../../../src/core/workers/thread.js";

const fail = {
  "at once": () => {
    throw new RangeError("never begun");
  },
  exit: () => process.exit(3),
};
fail[workerData]?.();

answerJobs(() => {
  if (workerData === "at its start") throw new UserError("a mistake at the start");
  if (workerData === "of SQLite") new Database("/nowhere", { readonly: true });
  if (workerData === "objects") return (job) => ({ job });
  const db = new Database(":memory:");
  return (times) => {
    let failed = 0;
    for (let i = 0; i < times; i++) {
      try {
        db.exec("SELECT missing");
      } catch {
        failed++;
      }
    }
    return failed;
  };
});
