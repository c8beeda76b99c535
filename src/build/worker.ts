/** The worker thread of a build: makes pages. */
import { answerJobs } from "../core/workers/thread.js";
import { type PageBatch, type PageJob, PageMakers } from "./page-maker.js";

answerJobs(
  () => {
    const makers = new PageMakers();
    return (job: PageJob) => makers.make(job);
  },
  ({ pieces }: PageBatch) => pieces.map(({ buffer }) => buffer),
);
