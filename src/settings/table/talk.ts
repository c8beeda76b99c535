/** How much is said, to people or to programs. */
import { yesOrNo } from "../kinds.js";
import type { Setting } from "../setting.js";

export const TALK = {
  json: {
    ...yesOrNo,
    verbs: ["init", "build", "serve", "releases", "use", "verify", "publish", "adapt"],
    help: "print the result as JSON on stdout",
  },
  timings: { ...yesOrNo, verbs: ["build"], help: "say where the time went, by stage" },
  quiet: { ...yesOrNo, verbs: ["init", "build", "use", "publish"], help: "print nothing on success" },
} satisfies Record<string, Setting>;
