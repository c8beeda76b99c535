/** A thread of a build: makes pages of some rows. */
import { answerJobs } from "../../workers/thread.js";
import type { PageResult } from "./messages.js";
import { startPages } from "./pages.js";

answerJobs(startPages, (result: PageResult) => [
  ...("members" in result ? result.members.map(({ memory }) => memory) : []),
  ...("gathered" in result && result.gathered ? result.gathered.memory : []),
]);
