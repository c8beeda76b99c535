/** `rollcall init`: a starter config and sample users in the current folder. */

import { ExitCode } from "../errors.js";
import { initialize, SAMPLE } from "../init/sample.js";
import { toJson } from "../print/text.js";
import { CONFIG_FILE } from "../settings/file.js";
import { stoppable } from "./program/signals.js";
import { type Given, type Io, print, sayLines, type Verb } from "./program/verb.js";

export const initVerb: Verb = {
  name: "init",
  summary: `Write a starter ${CONFIG_FILE} and sample users`,
  arguments: {},
  examples: [
    ["rollcall init", `${CONFIG_FILE} and ${SAMPLE}, never over other files`],
    ["rollcall init && rollcall build && rollcall serve", "the sample users, published and served"],
  ],
  configured: false,
  run: runInit,
};

async function runInit({ settings }: Given, io: Io): Promise<ExitCode> {
  const result = await stoppable(io.signals, (signal) => initialize(io.cwd, { signal }), "nothing was written");
  const { config, db, written } = result;
  if (settings.json) print(io, toJson(result));
  else if (!settings.quiet)
    sayLines(io, [
      { verb: "write", value: config, detail: "settings to change" },
      { verb: written.includes(db) ? "write" : "keep", value: db, detail: "sample users to try it with" },
      { verb: "next", value: "rollcall build && rollcall serve" },
    ]);
  return ExitCode.done;
}
