/** The worker thread of a verification that checks pages of views. */
import { answerJobs } from "../../core/workers/thread.js";
import { startViewChecks, type ViewsToCheck } from "./view-check.js";

answerJobs((data: ViewsToCheck) => startViewChecks(data).check);
