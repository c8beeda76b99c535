/** `rollcall use`: back to an older release, or forth again. */
import { ExitCode, UserError } from "../errors.js";
import { count, time } from "../print/numbers.js";
import { align, type Paint, painter } from "../print/style.js";
import { toJson } from "../print/text.js";
import { lowerHex } from "../release/choose.js";
import { listReleases } from "../release/list.js";
import { type UseResult, useRelease } from "../release/use.js";
import { type Io, print, say } from "./io.js";
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
  const result = await useByPrefix(settings.out, lowerHex(id));
  if (settings.json) {
    const { now, before } = result;
    print(io, toJson({ id: now.id, name: now.name, folder: now.folder, before: before?.id ?? null }));
  } else if (!settings.quiet) {
    say(io, describeUse(result, painter(io.stderr, io.env)));
  }
  return ExitCode.done;
}

/** Where several folders' names begin so, the names are said: their ids do not show how to go on. */
async function useByPrefix(dist: string, prefix: string): Promise<UseResult> {
  try {
    return await useRelease(dist, prefix);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const meant = (await listReleases(dist)).filter(({ name }) => name.startsWith(prefix));
    if (prefix === "" || new Set(meant.map(({ id }) => id)).size < 2) throw error;
    const names = meant.map(({ name }) => name).join(", ");
    throw new UserError(
      `${JSON.stringify(prefix)} is the beginning of ${meant.length} names: ${names}; give more of one, or its id.`,
      { cause: error },
    );
  }
}

function describeUse({ now, before }: UseResult, paint: Paint): string {
  const same = before?.name === now.name;
  const value = same ? `${now.id} is current already` : `${before?.id ?? "none"} -> ${now.id}`;
  const detail = `${count(now.users, "user")}, built ${time(now.time)} UTC`;
  return align([{ verb: "use", value, detail }], paint);
}
