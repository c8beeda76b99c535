/** `rollcall mirror`: keeps a copy of a published listing in a SQLite file. */
import { ExitCode } from "../errors.js";
import { type MirrorEffects, type MirrorResult, mirror } from "../mirror/mirror.js";
import { count, duration, number, size } from "../print/numbers.js";
import { type Line, painter } from "../print/style.js";
import { toJson, visible } from "../print/text.js";
import { withProgress } from "./program/progress.js";
import { Stopped } from "./program/signals.js";
import { type Given, type Io, print, say, sayLines } from "./program/verb.js";

/** Runs `rollcall mirror`. @returns its exit code. @throws UserError */
export async function runMirror({ settings, arguments: { url = "", file = "" } }: Given, io: Io): Promise<ExitCode> {
  const { key, maxAge, every, json, quiet } = settings;
  let show = (_done: { records: number; total: number }) => {};
  const effects: MirrorEffects = {
    cwd: io.cwd,
    onProgress: (done) => show(done),
    onSynced(result) {
      if (json) print(io, toJson(result));
      // With --every, print only changes.
      else if (!quiet && (every === undefined || result.via !== "nothing")) {
        sayLines(io, describeMirror(result));
      }
    },
    onTrouble: (error) => say(io, `${painter(io.stderr, io.env)("yellow", "warning:")} ${visible(error.message)}`),
  };
  try {
    await withProgress(
      io,
      json || quiet || every !== undefined ? undefined : "record",
      (bar, signal) => {
        if (bar) show = ({ records, total }) => bar.update(records, total);
        return mirror({ url, file, key, maxAge, every }, { ...effects, signal });
      },
      "the mirror is unchanged",
    );
  } catch (error) {
    // With --every, being stopped is the normal end.
    if (every === undefined || !(error instanceof Stopped)) throw error;
  }
  return ExitCode.done;
}

function describeMirror(result: MirrorResult): Line[] {
  const { url, file, table, words, via, put, removed, anew, requests, bytes, seconds } = result;
  const cost = `${count(requests, "request")}, ${size(bytes)}`;
  return [
    { verb: "mirror", value: file, detail: `${count(result.count, words)} of ${url}, in the table ${table}` },
    ...(anew === undefined ? [] : [{ verb: "rebuild", value: anew }]),
    { verb: "read", value: DESCRIPTIONS[via](number(put), number(removed)), detail: cost },
    { verb: "done", value: `in ${duration(1000 * seconds)}` },
  ];
}

const DESCRIPTIONS: Readonly<Record<MirrorResult["via"], (put: string, removed: string) => string>> = {
  nothing: () => "nothing: no changes",
  changes: (put, removed) => `changes: ${put} put, ${removed} removed`,
  bulk: () => "everything, in bulk",
  pages: () => "everything, page by page",
};
