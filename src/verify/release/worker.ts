/** A thread of a verification: checks batches of pages. */
import { answerJobs } from "../../workers/thread.js";
import { startChecks } from "./batch.js";

answerJobs(startChecks, ({ collected }) => collected.pieces.map(({ buffer }) => buffer));
