/** `rollcall host`: prints the table of hosts, or writes the files for one. */
import { join } from "node:path";
import { ExitCode } from "../core/errors.js";
import { type Paint, painter } from "../core/print/style.js";
import { toJson } from "../core/print/text.js";
import { optionsOf, type Settings } from "../core/settings/settings.js";
import { type Adapted, adapt, listHosts } from "../host/host.js";
import { HOSTS, hostRow } from "../host/hosts.js";
import type { HostFile } from "../host/kind.js";
import { type Invocation, type Io, print, sayLines } from "./program/verb.js";

/** Runs `rollcall host`. @returns its exit code. @throws UserError */
export async function runHost({ settings, arguments: { name } }: Invocation, io: Io): Promise<ExitCode> {
  if (name === undefined) {
    print(io, settings.json ? toJson(listHosts()) : describeHosts(painter(io.stdout, io.env)));
    return ExitCode.done;
  }
  report(await adapt({ name, ...optionsOf("host", settings) }, { cwd: io.cwd }), settings, io);
  return ExitCode.done;
}

/** Describes each host in a block, since a table would not fit a terminal. */
function describeHosts(paint: Paint): string {
  const blocks = HOSTS.map((host) => {
    const [[, name] = ["", ""], ...cells] = hostRow(host);
    const width = Math.max(...cells.map(([column]) => column.length));
    const lines = cells.map(([column, cell]) => `  ${paint("dim", column.padEnd(width))}  ${cell}`);
    return [`${paint("bold", name)}  ${host.title}`, ...lines].join("\n");
  });
  return blocks.join("\n\n");
}

function report(result: Adapted, { write, json }: Settings, io: Io): void {
  if (json) {
    print(io, toJson(result));
    return;
  }
  const { files, steps, notes } = result;
  if (write === undefined) print(io, concatenated(files));
  const lines = [
    ...files.map(({ path, instructions, written }) => ({
      verb: written === undefined ? "file" : written ? "wrote" : "kept",
      value: write === undefined ? path : join(write, path),
      detail:
        written === false
          ? "exists already; to write it again, move it away first"
          : instructions.replaceAll("\n", " "),
    })),
    ...steps.map((step) => ({ verb: "then", value: step })),
    ...notes.map((note) => ({ verb: "note", value: note, loud: true })),
  ];
  sayLines(io, lines);
}

/** The text of a single file; of several, each with its name before it. */
function concatenated(files: readonly HostFile[]): string {
  const [only, ...others] = files;
  if (only && others.length === 0) return only.text.trimEnd();
  return files
    .map(({ path, text }) => `==> ${path} <==\n${text.trimEnd()}\n`)
    .join("\n")
    .trimEnd();
}
