/** The worker thread of a build that writes pages of views. */
import { answerJobs } from "../../core/workers/thread.js";
import { startWriting, type WriteData } from "./write.js";

answerJobs((data: WriteData) => startWriting(data).write);
