/** The worker thread's side of a pool: runs one job after another. */
import { parentPort, type TransferListItem, workerData } from "node:worker_threads";
import { UserError } from "../errors.js";

/** The message that a thread sends back for a job. */
export type Outcome<Result> =
  | { result: Result }
  | { error: { message: string; stack: string | undefined; properties: object; isUserError: boolean } };

/** The message that ends a thread. */
export const END = "end";

/**
 * Runs the jobs that a pool sends to this thread.
 * @param start makes the function that runs jobs. It is called at the first job, so that its errors reach the pool, too.
 * @param transfer lists the parts of a result that are transferred instead of copied.
 */
export function answerJobs<Data, Job, Result>(
  start: (data: Data) => (job: Job) => Result | Promise<Result>,
  transfer: (result: Result) => readonly TransferListItem[] = () => [],
): void {
  let handle: ((job: Job) => Result | Promise<Result>) | undefined;
  parentPort?.on("message", async (job: Job | typeof END) => {
    // The thread then ends by itself, after its last answer was sent.
    if (job === END) return parentPort?.unref();
    const answer = await toAnswer(() => {
      handle ??= start(workerData);
      return handle(job);
    });
    parentPort?.postMessage(answer, "result" in answer ? transfer(answer.result) : []);
  });
}

async function toAnswer<Result>(run: () => Result | Promise<Result>): Promise<Outcome<Result>> {
  try {
    return { result: await run() };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const { message, stack } = error;
    // A structured clone of an error would lose its class and the system's error code.
    return { error: { message, stack, properties: { ...error }, isUserError: error instanceof UserError } };
  }
}
