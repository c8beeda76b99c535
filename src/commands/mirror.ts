/** `rollcall mirror`: a copy of a published listing in a SQLite file. */
import { ExitCode } from "../errors.js";
import { type MirrorEffects, type MirrorResult, mirror } from "../mirror/mirror.js";
import { count, duration, number, size } from "../print/numbers.js";
import { type Line, painter } from "../print/style.js";
import { toJson, visible } from "../print/text.js";
import { watched } from "./program/progress.js";
import { Stopped } from "./program/signals.js";
import { type Given, type Io, print, say, sayLines } from "./program/verb.js";

export async function runMirror({ settings, arguments: { url = "", file = "" } }: Given, io: Io): Promise<ExitCode> {
  const { key, maxAge, every, json, quiet } = settings;
  let show = (_done: { records: number; total: number }) => {};
  const effects: MirrorEffects = {
    cwd: io.cwd,
    onProgress: (done) => show(done),
    onSynced(result) {
      if (json) print(io, toJson(result));
      // With --every, nothing new is nothing to tell.
      else if (!quiet && (every === undefined || result.via !== "nothing")) {
        sayLines(io, describeMirror(result));
      }
    },
    onTrouble: (error) => say(io, `${painter(io.stderr, io.env)("yellow", "warning:")} ${visible(error.message)}`),
  };
  try {
    await watched(
      io,
      json || quiet || every !== undefined ? undefined : "record",
      (bar, signal) => {
        if (bar) show = ({ records, total }) => bar.update(records, total);
        return mirror({ url, file, key, maxAge, every }, { ...effects, signal });
      },
      "the mirror is as it was",
    );
  } catch (error) {
    // Whoever asked to go on until stopped has stopped it.
    if (every === undefined || !(error instanceof Stopped)) throw error;
  }
  return ExitCode.done;
}

function describeMirror(result: MirrorResult): Line[] {
  const { url, file, table, words, via, put, removed, anew, requests, bytes, seconds } = result;
  const cost = `${count(requests, "request")}, ${size(bytes)}`;
  return [
    { verb: "mirror", value: file, detail: `${count(result.count, words)} of ${url}, in the table ${table}` },
    ...(anew === undefined ? [] : [{ verb: "anew", value: anew }]),
    { verb: "read", value: WAYS[via](number(put), number(removed)), detail: cost },
    { verb: "done", value: `in ${duration(1000 * seconds)}` },
  ];
}

const WAYS: Readonly<Record<MirrorResult["via"], (put: string, removed: string) => string>> = {
  nothing: () => "nothing, since nothing has changed",
  changes: (put, removed) => `what has changed: ${put} put, ${removed} removed`,
  bulk: () => "everything, in bulk",
  pages: () => "everything, page by page",
};
