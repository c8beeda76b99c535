/** A thread's side of a pool: answers one job after another. */
import { parentPort, type TransferListItem, workerData } from "node:worker_threads";
import { UserError } from "../errors.js";

/** What a thread sends back for a job. */
export type Answer<Result> =
  | { result: Result }
  | { error: { message: string; stack: string | undefined; properties: object; isUserError: boolean } };

/** Sent instead of a job: the thread is to end. */
export const END = "end";

/**
 * @param start is called with the pool's data at the first job, so that its errors reach the pool, too.
 * @param given names what of a result is handed over instead of copied.
 */
export function answerJobs<Data, Job, Result>(
  start: (data: Data) => (job: Job) => Result | Promise<Result>,
  given: (result: Result) => readonly TransferListItem[] = () => [],
): void {
  let handle: ((job: Job) => Result | Promise<Result>) | undefined;
  parentPort?.on("message", async (job: Job | typeof END) => {
    // With nothing left to wait for, the thread ends by itself, after its last answer has been sent.
    if (job === END) return parentPort?.unref();
    const answer = await toAnswer(() => {
      handle ??= start(workerData);
      return handle(job);
    });
    parentPort?.postMessage(answer, "result" in answer ? given(answer.result) : []);
  });
}

async function toAnswer<Result>(run: () => Result | Promise<Result>): Promise<Answer<Result>> {
  try {
    return { result: await run() };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const { message, stack } = error;
    // A structured clone of an error would lose its class and the system's error code.
    return { error: { message, stack, properties: { ...error }, isUserError: error instanceof UserError } };
  }
}
