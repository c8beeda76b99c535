/** `rollcall mirror`: keeps a copy of a published listing in a SQLite file. */
import { ExitCode } from "../errors.js";
import { type MirrorResult, mirror } from "../mirror/mirror.js";
import { count, duration, number, size } from "../print/numbers.js";
import type { Line } from "../print/style.js";
import { optionsOf } from "../settings/settings.js";
import { withProgress } from "./program/progress.js";
import { type Invocation, type Io, printResult, sayLines } from "./program/verb.js";

/** Runs `rollcall mirror`. @returns its exit code. @throws UserError */
export async function runMirror(
  { settings, arguments: { url = "", file = "" } }: Invocation,
  io: Io,
): Promise<ExitCode> {
  const { json, quiet } = settings;
  const began = io.now();
  const result = await withProgress(
    io,
    json || quiet ? undefined : "record",
    (bar, signal) => {
      const onProgress =
        bar && (({ records, total }: { records: number; total: number }) => bar.update(records, total));
      return mirror({ url, file, ...optionsOf("mirror", settings) }, { cwd: io.cwd, onProgress, signal });
    },
    "the mirror is unchanged",
  );
  if (json) printResult(io, result, began);
  else if (!quiet) sayLines(io, describeMirror(result, io.now() - began));
  return ExitCode.done;
}

function describeMirror(result: MirrorResult, milliseconds: number): Line[] {
  const { url, file, table, words, via, put, removed, anew, requests, bytes } = result;
  const cost = `${count(requests, "request")}, ${size(bytes)}`;
  return [
    { verb: "mirror", value: file, detail: `${count(result.count, words)} of ${url}, in the table ${table}` },
    ...(anew === undefined ? [] : [{ verb: "rebuild", value: anew }]),
    { verb: "read", value: DESCRIPTIONS[via](number(put), number(removed)), detail: cost },
    { verb: "done", value: `in ${duration(milliseconds)}` },
  ];
}

const DESCRIPTIONS: Readonly<Record<MirrorResult["via"], (put: string, removed: string) => string>> = {
  nothing: () => "nothing: no changes",
  changes: (put, removed) => `changes: ${put} put, ${removed} removed`,
  bulk: () => "everything, in bulk",
  pages: () => "everything, page by page",
};
