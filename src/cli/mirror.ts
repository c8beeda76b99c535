/** `rollcall mirror`: keeps a copy of a published listing, or of a site, in a SQLite file. */
import { ExitCode } from "../core/errors.js";
import { count, duration, number, size } from "../core/print/numbers.js";
import type { Line } from "../core/print/style.js";
import { optionsOf } from "../core/settings/settings.js";
import { type MirroredTable, type MirrorResult, mirror } from "../mirror/mirror.js";
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
  const { url, file, tables, dropped, requests, bytes } = result;
  return [
    { verb: "mirror", value: file, detail: `of ${url}` },
    ...tables.flatMap(({ table, words, via, put, removed, anew, note, ...held }) => [
      ...(anew === undefined ? [] : [{ verb: "rebuild", value: table, detail: anew }]),
      {
        verb: "table",
        value: table,
        detail: `${count(held.count, words)}, ${DESCRIPTIONS[via](number(put), number(removed))}`,
      },
      ...(note === undefined ? [] : [{ verb: "note", value: note, loud: true }]),
    ]),
    ...dropped.map((name) => ({ verb: "drop", value: name, detail: "no longer a listing of the site" })),
    { verb: "done", value: `in ${duration(milliseconds)}`, detail: `${count(requests, "request")}, ${size(bytes)}` },
  ];
}

const DESCRIPTIONS: Readonly<Record<MirroredTable["via"], (put: string, removed: string) => string>> = {
  nothing: () => "no changes",
  changes: (put, removed) => `${put} put, ${removed} removed`,
  bulk: () => "all read in bulk",
  pages: () => "all read page by page",
};
