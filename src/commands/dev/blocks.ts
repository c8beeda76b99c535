/** Text output of `rollcall dev`: one block for each build, with the time and the changed files. */

import { statSync } from "node:fs";
import type { Contract } from "../../contract/contract.js";
import type { DevBuild, DevScreen } from "../../dev/dev.js";
import type { Diff } from "../../diff/change.js";
import { count, duration, number, size } from "../../print/numbers.js";
import { type Line, painter } from "../../print/style.js";
import { listed, shellWord, toJson, visible } from "../../print/text.js";
import { CHANGE_KINDS, reportOf } from "../../report/model.js";
import { changesText, contractText } from "../../report/text.js";
import { InvalidRecordsError } from "../../snapshot/problems.js";
import { skippedLines, warningLines } from "../build/summary.js";
import { reportFailure } from "../program/failure.js";
import { type Io, say, sayLines } from "../program/verb.js";

/** Maximum number of tables or columns on a line. */
const MOST_LISTED = 8;
/** Maximum number of changes of each kind in a block. */
const MOST_CHANGES = 3;

/** Bytes of a source from which a line says that it is being read: smaller ones are built within a second. */
const SLOW_BYTES = 5_000_000;

/** Makes the screen that prints blocks on stderr. @param db the source. */
export function blocks(io: Io, db: string): DevScreen {
  const paint = painter(io.stderr, io.env);
  let origin = "";
  let isFirst = true;
  /** The error that is on the screen and not corrected yet. */
  let shownError: string | undefined;

  const timeAndFiles = (files: readonly string[]) =>
    `${paint("dim", io.date().toTimeString().slice(0, "17:05:03".length))}  ${visible(listed(files))} changed`;

  return {
    onListening(where) {
      origin = where;
      const bytes = statSync(db, { throwIfNoEntry: false })?.size ?? 0;
      if (bytes < SLOW_BYTES) return;
      sayLines(io, [{ verb: "read", value: db, detail: `${size(bytes)}; ${origin} answers when it is built` }]);
    },
    async onBuilt(build) {
      const { url, db, contract, result, milliseconds, files, changes } = build;
      const took = `in ${duration(milliseconds)}`;
      const notes = [...warningLines(result, contract), ...skippedLines(result, build)];
      if (files.length > 0) {
        const corrected = shownError === undefined ? "" : "the error is corrected, ";
        say(io, `${timeAndFiles(files)}: ${corrected}${whatDiffers(changes, contract)}, ${took}`);
      }
      if (changes) await sayChanges(changes);
      if (isFirst) notes.unshift(...firstLines(url, `${extent(build)}, from ${db}`, took), ...contractLines(build));
      if (notes.length > 0) sayLines(io, notes);
      isFirst = false;
      shownError = undefined;
    },
    async onTrouble({ error, files, settings, isServing }) {
      const wrong = error.message + (error instanceof InvalidRecordsError ? toJson(error.problems) : "");
      const isSame = shownError === wrong;
      if (files.length > 0) say(io, `${timeAndFiles(files)}${isSame ? "; the error is the same" : ""}`);
      shownError = wrong;
      if (isSame) return;
      const { skipInvalid, problems, contract } = settings ?? {};
      let failure = error;
      if (error instanceof InvalidRecordsError) {
        // The code for tables is loaded on demand.
        const { refuseInvalid } = await import("../program/problems.js");
        failure = refuseInvalid(error, { skipInvalid, problems, contract }, io, "nothing was built");
      }
      reportFailure(failure, io);
      const detail = isServing ? "still serves the last good build" : "serves nothing until the error is corrected";
      sayLines(io, [{ verb: "dev", value: origin, detail }]);
    },
  };

  async function sayChanges(changes: Diff): Promise<void> {
    const report = reportOf(changes);
    const parts = [contractText(report, paint)];
    for await (const part of changesText(report, MOST_CHANGES, paint, "")) parts.push(part);
    const text = parts.join("").replace(/^\n/, "");
    if (text !== "") say(io, text);
  }
}

function firstLines(url: string, detail: string, took: string): Line[] {
  return [
    { verb: "dev", value: url, detail },
    { verb: "ready", value: took, detail: "builds again when its files change; Ctrl-C ends it" },
  ];
}

/** Lines about a contract that was made in memory: how to keep it, and how to see other tables. */
function contractLines({ made, db }: DevBuild): Line[] {
  if (made === undefined) return [];
  const file = shellWord(db);
  const table = made.isNamed ? ` --table ${shellWord(made.table)}` : "";
  const lines: Line[] = [
    {
      verb: "contract",
      value: `made from the table ${visible(made.table)}`,
      detail: `to write and edit it: rollcall init --from ${file}${table}`,
    },
  ];
  if (made.left.length > 0)
    lines.push({
      verb: "omit",
      value: visible(listed(made.left, MOST_LISTED)),
      detail: "seems private, or cannot be published",
    });
  const [other] = made.others;
  if (other === undefined) return lines;
  const others = visible(listed(made.others, MOST_LISTED));
  return [
    ...lines,
    {
      verb: "tables",
      value: others,
      detail: `not shown; to see one: rollcall dev ${file} --table ${shellWord(other)}`,
    },
  ];
}

function extent({ contract, result }: DevBuild): string {
  return `${count(result.records, contract.listing.words)} on ${count(result.pages, "page")}`;
}

/** Describes changes: `another contract, 1 user added, 2 changed`, `no user differs`. */
function whatDiffers(changes: Diff | undefined, { listing: { words } }: Contract): string {
  const [first, ...kinds] = CHANGE_KINDS.filter((kind) => changes && changes[kind] > 0);
  if (!changes || !first) return [...otherChanges(changes), `no ${visible(words[0])} differs`].join(", ");
  const records = [
    `${visible(count(changes[first], words))} ${first}`,
    ...kinds.map((kind) => `${number(changes[kind])} ${kind}`),
  ];
  return [...otherChanges(changes), ...records].join(", ");
}

function otherChanges(changes: Diff | undefined): string[] {
  if (!changes) return [];
  const settings = reportOf(changes).settings.map(
    ({ name, old, new: now }) => `${name} ${visible(old)} -> ${visible(now)}`,
  );
  return [...(changes.contract ? ["another contract"] : []), ...settings];
}
