/** `rollcall host`: prints the table of hosts, writes the files for one, or checks a release against its limits. */

import { ExitCode, UserError } from "../errors.js";
import { type Adapted, adapt, checkLimits, type Fit, listHosts, type Measures } from "../hosts/adapt.js";
import type { HostFile } from "../hosts/host.js";
import { HOSTS, hostOf, hostRow } from "../hosts/hosts.js";
import { count, number, size } from "../print/numbers.js";
import { align, type Paint, painter } from "../print/style.js";
import { toJson } from "../print/text.js";
import type { Settings } from "../settings/settings.js";
import { type Given, type Io, print, say } from "./program/verb.js";

/** Runs `rollcall host`. @returns its exit code. @throws UserError */
export async function runHost({ settings, arguments: { name } }: Given, io: Io): Promise<ExitCode> {
  if (name === undefined) {
    print(io, settings.json ? toJson(listHosts()) : describeHosts(painter(io.stdout, io.env)));
    return ExitCode.done;
  }
  const { dist, release, write, root, serverName, basePath, address, listenPort, origin, cacheControl } = settings;
  if (settings.check) {
    reportCheck(await checkLimits(name, { dist, release }, { cwd: io.cwd }), settings, io);
    return ExitCode.done;
  }
  const options = { dist, release, write, root, serverName, basePath, address, listenPort, origin, cacheControl };
  report(await adapt(name, options, { cwd: io.cwd }), settings, io);
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

function report({ files, steps, notes, ...facts }: Adapted, { write, json }: Settings, io: Io): void {
  if (json) {
    const shown = files.map(({ text, isWritten, ...file }) => ({
      ...file,
      ...(isWritten === undefined ? { text } : { written: isWritten }),
    }));
    print(io, toJson({ ...facts, files: shown, steps, notes }));
    return;
  }
  if (write === undefined) print(io, concatenated(files));
  const lines = [
    ...files.map(({ path, instructions, isWritten }) => ({
      verb: isWritten === undefined ? "file" : isWritten ? "wrote" : "kept",
      value: path,
      detail:
        isWritten === false
          ? "exists already; to write it again, move it away first"
          : instructions.replaceAll("\n", " "),
    })),
    ...steps.map((step) => ({ verb: "then", value: step })),
    ...notes.map((note) => ({ verb: "note", value: note, loud: true })),
  ];
  say(io, align(lines, painter(io.stderr, io.env)));
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

/** Reports the check of limits. @throws UserError if the release exceeds one */
function reportCheck(fit: Fit, { json }: Settings, io: Io): void {
  const { host, snapshot, measures, largest, excess } = fit;
  if (json) print(io, toJson({ host, id: snapshot.id, ...measures, largest, excess }));
  const { title, limits } = hostOf(host);
  if (excess.length > 0) throw tooLarge(title, fit);
  const value = `${count(measures.files, "file")}, ${size(measures.bytes)}`;
  const detail = limits ? `within ${title}'s limits: ${limits.source}` : `${title} has no limit`;
  if (!json) say(io, align([{ verb: "fits", value, detail }], painter(io.stderr, io.env)));
}

const DESCRIPTIONS: Record<keyof Measures, (value: number, largest: string) => string> = {
  files: (value) => count(value, "file"),
  filesInFolder: (value) => `${count(value, "file")} in one folder`,
  bytesInFile: (value, largest) => `a file of ${size(value)}, ${largest}`,
  bytes: (value) => `${size(value)} in all`,
  upload: (value) => `${count(value, "file")} to upload at once`,
};

/** Matches pages, compressed or not. */
const PAGE = /(?:^|\/)pages\/\d+\.json(?:\.br|\.gz)?$/;

function tooLarge(title: string, { excess, snapshot, largest, stepFiles, sortedFiles }: Fit): UserError {
  const parts = excess.map(({ limit, actual, allowed }) => {
    const most = limit.startsWith("bytes") ? size(allowed) : number(allowed);
    return `${DESCRIPTIONS[limit](actual, largest)}, and ${title} allows ${most}`;
  });
  const isOfPages = PAGE.test(largest);
  const larger = excess.some(({ limit }) => limit === "bytesInFile") ? "smaller" : "larger";
  const isOfMany = excess.some(({ limit }) => limit !== "bytesInFile");
  const ways = [
    // Another page size does not change the total size, or other files.
    ...(excess.some(({ limit }) => limit !== "bytes" && (limit !== "bytesInFile" || isOfPages))
      ? [`${larger} pages (--page-size, now ${snapshot.page_size})`]
      : []),
    ...(stepFiles > 0 && isOfMany ? ["fewer steps (--changes)"] : []),
    ...(sortedFiles > 0 && isOfMany ? ["no lookup (no --lookup)"] : []),
    ...(snapshot.encodings.length > 0 ? ["no compressed copies (no --compress)"] : []),
    'another host ("rollcall host" lists them)',
  ];
  return new UserError(`Release ${snapshot.id} has ${parts.join("; ")}. Try: ${ways.join(", ")}.`);
}
