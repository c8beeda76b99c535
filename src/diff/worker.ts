/** The worker thread of a diff: reads pairs of records and counts their changes. */
import { answerJobs } from "../workers/thread.js";
import { startSummaries } from "./changed.js";

answerJobs(startSummaries);
