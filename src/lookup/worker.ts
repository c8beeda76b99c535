/** The thread of a family that is sorted apart: takes its runs, merges them, and cuts files, which wait until they are asked for. */
import type { Beginnings } from "../contract/lookup.js";
import { answerJobs } from "../workers/thread.js";
import { type FamilyForm, SortedFamily } from "./family.js";
import type { Run } from "./runs/run.js";
import { FileSizes } from "./sizes.js";
import { TemporaryBytes } from "./temporary.js";

export type FamilyJob =
  | { kind: "take"; run: Run }
  | { kind: "merge" }
  /** @param bytes of all lines of all families, and of a file, at least; what files there are before these. */
  | { kind: "cut"; bytes: number; least: number; before: number }
  /** Some of the files, in order; none where all have been given. */
  | { kind: "next" };

export type FamilyResult =
  | { kind: "taken" }
  | { kind: "merged"; bytes: number }
  | { kind: "cut"; files: number; beginnings: Beginnings }
  | { kind: "files"; files: Uint8Array[] };

/** Bytes of files that are given at once, or those of one that is larger. */
const TOGETHER = 2 ** 20;

answerJobs((form: FamilyForm) => {
  const temporary = new TemporaryBytes();
  const family = new SortedFamily({ ...form, temporary });
  let files: number[] = [];
  // Nobody else waits for this thread, so it never gives way.
  const turn = () => undefined;
  return async (job: FamilyJob): Promise<FamilyResult> => {
    switch (job.kind) {
      case "take":
        family.take(job.run);
        return { kind: "taken" };
      case "merge":
        return { kind: "merged", bytes: await family.merge(turn) };
      case "cut": {
        files = [];
        const sizes = new FileSizes(job.bytes, job.least, job.before);
        const put = (bytes: Buffer) => void files.push(temporary.put(bytes));
        const beginnings = await family.write({ sizes, turn, put });
        return { kind: "cut", files: files.length, beginnings };
      }
      case "next": {
        const some: Uint8Array[] = [];
        for (let bytes = 0; files.length > 0 && bytes < TOGETHER; bytes += some.at(-1)?.length ?? 0)
          some.push(temporary.get(files.shift() ?? 0));
        return { kind: "files", files: some };
      }
    }
  };
});
