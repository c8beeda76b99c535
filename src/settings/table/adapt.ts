/** What another host is and where: the values of its configuration. */
import { hostName, onHost, path, publicUrl, text, urlPath, whole, yesOrNo } from "../kinds.js";
import type { Setting } from "../setting.js";

export const ADAPT = {
  adapt: {
    ...text("the name of a host"),
    verbs: ["build"],
    placeholder: "<name>",
    help: 'put what this host needs into the release; "rollcall adapt" lists them',
  },
  write: {
    ...path,
    verbs: ["adapt"],
    placeholder: "<folder>",
    help: "write the files to it instead of printing them",
  },
  root: {
    ...onHost,
    verbs: ["adapt"],
    placeholder: "<folder>",
    help: "the release's folder on the host (default: where it is here)",
  },
  serverName: {
    ...hostName,
    verbs: ["adapt"],
    placeholder: "<name>",
    help: "name that the host answers to (default: the base URL's)",
  },
  basePath: {
    ...urlPath,
    verbs: ["adapt"],
    placeholder: "<path>",
    help: "path that the host sees before /api/users/ (default: the base URL's)",
  },
  address: {
    ...hostName,
    verbs: ["adapt"],
    placeholder: "<address>",
    help: "address that the host listens on (default: every one)",
  },
  listenPort: {
    ...whole(1, 65_535),
    verbs: ["adapt"],
    help: "port that the host listens on (default: the base URL's, or 80 behind one that has https)",
  },
  origin: {
    ...publicUrl,
    verbs: ["adapt"],
    placeholder: "<url>",
    help: "where haproxy and fastly fetch the release's files (default: http://127.0.0.1:8081)",
  },
  check: { ...yesOrNo, verbs: ["adapt"], help: "measure the release against the host's limits" },
} satisfies Record<string, Setting>;
