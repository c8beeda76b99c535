/** `rollcall releases`: what there is to serve, to compare and to go back to. */
import Table from "cli-table3";
import { ExitCode } from "../errors.js";
import { number, size, time } from "../print/numbers.js";
import { type Paint, painter } from "../print/style.js";
import { toJson, visible } from "../print/text.js";
import { listReleases, type ReleaseSummary } from "../release/list.js";
import { type Io, print } from "./io.js";
import type { Given, Verb } from "./verb.js";

export const releases: Verb = {
  name: "releases",
  summary: "List the releases, newest first",
  arguments: { "[dist]": "folder of the releases (default: dist, or what out is set to)" },
  examples: [["rollcall releases", "id, time, users, pages and size of each, and which is current"]],
  configured: true,
  run: runReleases,
};

async function runReleases({ settings }: Given, io: Io): Promise<ExitCode> {
  const list = await listReleases(settings.out);
  print(io, settings.json ? toJson(list) : describeReleases(list, painter(io.stdout, io.env)));
  return ExitCode.done;
}

export function describeReleases(list: readonly ReleaseSummary[], paint: Paint): string {
  const table = new Table({
    head: ["id", "time (UTC)", "users", "pages", "size", ""].map((title) => paint("dim", title)),
    colAligns: ["left", "left", "right", "right", "right", "left"],
    chars: NO_BORDERS,
    style: { head: [], border: [], "padding-left": 0, "padding-right": 2 },
  });
  for (const release of list) table.push(row(release, paint));
  return table
    .toString()
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n");
}

function row(release: ReleaseSummary, paint: Paint): string[] {
  const { id, current, broken } = release;
  const marks = [current && paint("green", "current"), broken && paint("red", visible(broken))];
  const numbers = [number(release.users), number(release.pages), size(release.bytes)];
  return [
    paint("bold", id),
    time(release.time),
    ...(broken ? ["-", "-", "-"] : numbers),
    marks.filter(Boolean).join(", "),
  ];
}

const NO_BORDERS = {
  top: "",
  "top-mid": "",
  "top-left": "",
  "top-right": "",
  bottom: "",
  "bottom-mid": "",
  "bottom-left": "",
  "bottom-right": "",
  left: "",
  "left-mid": "",
  mid: "",
  "mid-mid": "",
  right: "",
  "right-mid": "",
  middle: "",
};
