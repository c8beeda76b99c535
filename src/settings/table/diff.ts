/** Which changes a diff shows, in which form, and how many there may be. */
import { fieldLimits, fields, limit, oneOf, path, whole, yesOrNo } from "../kinds.js";
import type { Setting } from "../setting.js";

export const DIFF = {
  format: {
    ...oneOf("text", "markdown", "html", "json", "ndjson"),
    default: "text",
    verbs: ["diff"],
    help: "form of the report",
  },
  limit: {
    ...whole(0, 1_000_000_000),
    default: 20,
    verbs: ["diff"],
    help: "changes of each kind that text shows",
  },
  all: { ...yesOrNo, verbs: ["diff"], help: "show every change in text" },
  only: { ...fields, verbs: ["diff"], help: "fields that count: bio,off_chain.*" },
  ignore: { ...fields, verbs: ["diff"], help: "fields that do not count" },
  output: {
    ...path,
    verbs: ["diff"],
    placeholder: "<file>",
    help: "write the report to it instead of stdout",
  },
  maxAdded: {
    ...limit,
    verbs: ["build", "diff"],
    help: "users that may be added: 100, or 2% of those before",
  },
  maxRemoved: { ...limit, verbs: ["build", "diff"], help: "users that may be removed" },
  maxChanged: { ...limit, verbs: ["build", "diff"], help: "users that may change" },
  maxField: {
    ...fieldLimits,
    verbs: ["build", "diff"],
    help: "users in whom a field may change: kyc_status=10,bio=5%",
  },
} satisfies Record<string, Setting>;
