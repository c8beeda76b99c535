/** One thread of a verification: checks the stretches that it is given. */
import { workerData } from "node:worker_threads";
import { follow } from "../threads/follow.js";
import type { Outline, Stretch } from "./disk-messages.js";
import { createChecker } from "./disk-stretch.js";

const outline: Outline = workerData;

follow(() => {
  const checker = createChecker(outline);
  return (stretch: Stretch) => checker.check(stretch);
});
