/** What is held against what, and how hard it is asked. */
import { checks, path, text, whole } from "../kinds.js";
import type { Setting } from "../setting.js";

export const VERIFY = {
  against: {
    ...text("a release's id, its beginning, current, previous, a release's folder, or none"),
    verbs: ["verify"],
    placeholder: "<release>",
    help: "release that a host must serve, byte for byte, or none (default: the current one, if there is one)",
  },
  sample: {
    ...whole(1, 999_999_999),
    verbs: ["verify"],
    help: "pages of a host to read, spread from the first to the last (default: all)",
  },
  allow: {
    ...checks,
    verbs: ["verify"],
    help: "checks of a host that may differ; can be given again",
  },
  concurrency: {
    ...whole(1, 64),
    default: 8,
    verbs: ["verify"],
    help: "requests at once",
  },
  rate: {
    ...whole(1, 1_000_000),
    verbs: ["verify"],
    help: "requests a second, at most (default: no limit)",
  },
  junit: {
    ...path,
    verbs: ["verify"],
    placeholder: "<file>",
    help: "write the report to it as JUnit's XML, for CI",
  },
} satisfies Record<string, Setting>;
