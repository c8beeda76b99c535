/** The thread of a family that is sorted apart: takes its runs, merges them, and cuts files, which wait until they are asked for. */
import type { Beginnings } from "../contract/lookup.js";
import { answerJobs } from "../workers/thread.js";
import { type FamilyForm, SortedFamily } from "./family.js";
import type { Run } from "./runs/run.js";
import { TemporaryBytes } from "./temporary.js";

export type FamilyJob =
  | { kind: "take"; run: Run }
  /** All that was taken is sorted, and cut into files. */
  | { kind: "cut" }
  /** Some of the files, in order; none where all have been given. */
  | { kind: "next" };

export type FamilyResult =
  | { kind: "taken" }
  | { kind: "cut"; beginnings: Beginnings }
  | { kind: "files"; files: Uint8Array[] };

/** Bytes of files that are given at once, or those of one that is larger. */
const TOGETHER = 2 ** 20;

answerJobs((form: FamilyForm) => {
  const temporary = new TemporaryBytes();
  const family = new SortedFamily({ ...form, temporary });
  const files: number[] = [];
  // Nobody else waits for this thread, so it never gives way.
  const turn = () => undefined;
  return async (job: FamilyJob): Promise<FamilyResult> => {
    switch (job.kind) {
      case "take":
        family.take(job.run);
        return { kind: "taken" };
      case "cut": {
        await family.merge(turn);
        const beginnings = await family.write({ turn, put: (bytes) => void files.push(temporary.put(bytes)) });
        return { kind: "cut", beginnings };
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
