/** One thread of a diff: reads the pairs that it is given, and says what their changes come to. */
import { workerData } from "node:worker_threads";
import { follow } from "../workers/follow.js";
import { type ChangedUsers, changedReader } from "./changed.js";
import type { Pair } from "./match.js";
import { summarize } from "./summary.js";

const comparison: ChangedUsers = workerData;

follow(() => {
  const read = changedReader(comparison);
  return (pairs: Pair[]) => summarize(read(pairs));
});
