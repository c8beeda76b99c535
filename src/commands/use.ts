/** `rollcall use`: back to an older release, or forth again. */
import { ExitCode } from "../errors.js";
import { type UseResult, useRelease } from "../release/use.js";
import { type Io, print, say } from "./io.js";
import { count, time } from "./numbers.js";
import { align, type Paint, painter } from "./style.js";
import { toJson } from "./text.js";
import type { Given, Verb } from "./verb.js";

export const use: Verb = {
  name: "use",
  summary: "Make another release current",
  arguments: {
    "<id>": "the release's id, or the beginning of it",
    "[dist]": "folder of the releases (default: dist, or what out is set to)",
  },
  examples: [["rollcall use 1f6a", "switch to the release whose id begins with 1f6a"]],
  configured: true,
  run: runUse,
};

async function runUse({ settings, arguments: { id = "" } }: Given, io: Io): Promise<ExitCode> {
  const result = await useRelease(settings.out, id);
  if (settings.json) {
    const { now, before } = result;
    print(io, toJson({ id: now.id, name: now.name, folder: now.folder, before: before?.id ?? null }));
  } else {
    say(io, describeUse(result, painter(io.stderr, io.env)));
  }
  return ExitCode.done;
}

function describeUse({ now, before }: UseResult, paint: Paint): string {
  const same = before?.name === now.name;
  const value = same ? `${now.id} is current already` : `${before?.id ?? "none"} -> ${now.id}`;
  const detail = `${count(now.users, "user")}, built ${time(now.time)} UTC`;
  return align([{ verb: "use", value, detail }], paint);
}
