/** `rollcall releases`: lists the releases. */
import { ExitCode } from "../core/errors.js";
import { number, size, time } from "../core/print/numbers.js";
import { type Paint, painter } from "../core/print/style.js";
import { table } from "../core/print/table.js";
import { toJson, visible } from "../core/print/text.js";
import { listReleases, type ReleaseSummary } from "../core/release/releases.js";
import { type Invocation, type Io, print } from "./program/verb.js";

/** Runs `rollcall releases`. @returns its exit code. @throws UserError */
export async function runReleases({ settings }: Invocation, io: Io): Promise<ExitCode> {
  const list = await listReleases(settings.dist);
  print(io, settings.json ? toJson(list) : describeReleases(list, painter(io.stdout, io.env)));
  return ExitCode.done;
}

/** Formats the table of releases. */
function describeReleases(list: readonly ReleaseSummary[], paint: Paint): string {
  const left = ["id", "time (UTC)"].map((title) => [paint("dim", title), "left"] as const);
  const right = [pluralOf(list), "pages", "size"].map((title) => [paint("dim", title), "right"] as const);
  const rows = list.map((release) => row(release, paint));
  return table([...left, ...right, ["", "left"]], rows);
}

/** The plural word for records that all of these releases share; otherwise "records". */
function pluralOf(list: readonly ReleaseSummary[]): string {
  const [many, ...others] = new Set(list.flatMap(({ words }) => (words ? [words[1]] : [])));
  return others.length > 0 || many === undefined ? "records" : visible(many);
}

function row(release: ReleaseSummary, paint: Paint): string[] {
  const { id, current, broken } = release;
  const marks = [current && paint("green", "current"), broken && paint("red", visible(broken))];
  const numbers = [number(release.records), number(release.pages), size(release.bytes)];
  const shown = broken ? ["-", "-", "-"] : numbers;
  return [paint("bold", id), time(release.time), ...shown, marks.filter(Boolean).join(", ")];
}
