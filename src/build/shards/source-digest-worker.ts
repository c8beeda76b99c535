/** A thread that digests a file while other threads read it. */
import { digestFile } from "../../release/files.js";
import { answerJobs } from "../../workers/thread.js";

const memory = Buffer.allocUnsafe(2 ** 20);
answerJobs(() => (file: number) => digestFile(file, memory));
