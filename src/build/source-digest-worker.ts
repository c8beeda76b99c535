/** A thread that digests a source's file while others are at work. */
import { answerJobs } from "../workers/thread.js";
import { digestFile } from "./source-digest.js";

answerJobs(() => digestFile);
