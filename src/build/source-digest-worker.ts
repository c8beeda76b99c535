/** A thread that digests a file while other threads read it. */
import { answerJobs } from "../workers/thread.js";
import { digestFile } from "./source-digest.js";

answerJobs(() => digestFile);
