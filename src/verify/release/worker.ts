/** A thread of a verification: checks batches of pages. */
import { answerJobs } from "../../workers/thread.js";
import { memoryOfPages } from "../lookup/gather.js";
import { startChecks } from "./batch.js";

answerJobs(startChecks, ({ gathered: { made } }) => (made ? memoryOfPages(made) : []));
