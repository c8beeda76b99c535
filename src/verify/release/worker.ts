/** One thread of a verification: checks the stretches that it is given. */
import { workerData } from "node:worker_threads";
import { follow } from "../../workers/follow.js";
import { createBatchChecker } from "./batch.js";
import type { Batch, Outline } from "./messages.js";

const outline: Outline = workerData;

follow(() => {
  const checker = createBatchChecker(outline);
  return (stretch: Batch) => checker.check(stretch);
});
