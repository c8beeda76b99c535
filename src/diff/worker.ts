/** A thread of a diff: reads pairs of records and counts what changed in them. */
import { answerJobs } from "../workers/thread.js";
import { startSummaries } from "./changed.js";

answerJobs(startSummaries);
