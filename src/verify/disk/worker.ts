/** The worker thread of a verification: checks batches of pages. */
import { answerJobs } from "../../core/workers/thread.js";
import { startChecks } from "./page-check.js";

answerJobs(startChecks, ({ pieces = [] }) => pieces.map(({ buffer }) => buffer));
