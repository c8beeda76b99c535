/** The worker thread of a build: makes pages. */
import { answerJobs } from "../core/workers/thread.js";
import { type PageBatch, type PageData, type PageJob, PageMaker } from "./page-maker.js";

answerJobs(
  (data: PageData) => {
    const maker = new PageMaker(data);
    return (job: PageJob) => maker.make(job);
  },
  ({ pieces }: PageBatch) => pieces.map(({ buffer }) => buffer),
);
