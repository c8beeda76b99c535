/** What is put where. */
import { endpoint, path, text, yesOrNo } from "../kinds.js";
import type { Setting } from "../setting.js";

export const PUBLISH = {
  release: {
    ...text("a release's id, its beginning, previous, or a release's folder"),
    verbs: ["publish", "adapt"],
    placeholder: "<release>",
    help: "release to take: an id or its beginning, previous, or a folder (default: the current one)",
  },
  endpoint: {
    ...endpoint,
    verbs: ["publish"],
    placeholder: "<url>",
    help: "store that speaks S3 and is not Amazon's, as in https://s3.example.com",
  },
  force: {
    ...yesOrNo,
    verbs: ["publish"],
    help: "also replace files and releases that were not published from here",
  },
  expect: {
    ...text("the beginning of a release's id"),
    verbs: ["publish"],
    placeholder: "<id>",
    help: "release that a bucket holds and that may be replaced, where dist is new each time",
  },
  dryRun: { ...yesOrNo, verbs: ["publish"], help: "print what would be done, and do nothing" },
  purgeList: {
    ...path,
    verbs: ["publish"],
    placeholder: "<file>",
    help: "write the URL of everything that changed to it, for a CDN to forget",
  },
} satisfies Record<string, Setting>;
