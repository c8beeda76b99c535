/** One thread of a verification: checks the stretches that it is given. */
import { parentPort, workerData } from "node:worker_threads";
import { UserError } from "../errors.js";
import type { Outline, Reply, Stretch } from "./disk-messages.js";
import { createChecker } from "./disk-stretch.js";

const outline: Outline = workerData;
const checker = createChecker(outline);

parentPort?.on("message", (stretch: Stretch) => parentPort?.postMessage(follow(stretch)));

function follow(stretch: Stretch): Reply {
  try {
    return { kind: "checked", checked: checker.check(stretch) };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const { message, stack } = error;
    return { kind: "failed", error: { message, stack, isUserError: error instanceof UserError } };
  }
}
