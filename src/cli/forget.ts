/** `rollcall forget`: removes kept releases permanently. */
import { codeOf, ExitCode, UserError } from "../core/errors.js";
import { count } from "../core/print/numbers.js";
import { listed, toJson } from "../core/print/text.js";
import { type ForgetPlan, forgetReleases } from "../publish/forget.js";
import { warnUntidied } from "./program/failure.js";
import { type Invocation, type Io, printAndWait, say, sayLines } from "./program/verb.js";

const LINES_AT_ONCE = 1000;

/** Runs `rollcall forget`. @returns its exit code. @throws UserError */
export async function runForget({ settings, positional }: Invocation, io: Io): Promise<ExitCode> {
  const { json, dist } = settings;
  // `printAndWait` throws if stdout cannot be written.
  io.onLost = () => {};
  let urlCount = 0;
  let plan: ForgetPlan | undefined;
  const untidied = await forgetReleases(dist, positional, {
    now: () => io.date(),
    cwd: io.cwd,
    onCleared: (names) => say(io, `Removed leftovers of killed runs: ${listed(names)}.`),
    async confirm(urls, planned) {
      plan = planned;
      const waiting: string[] = [];
      for await (const url of urls) {
        urlCount++;
        waiting.push(url);
        if (!json && waiting.length === LINES_AT_ONCE) await printUrls(io, waiting.splice(0));
      }
      if (json) await printUrls(io, [toJson({ ...planned, urls: waiting })]);
      else if (waiting.length > 0) await printUrls(io, waiting);
    },
  });
  const { removed = [], unknown = [], kept = [] } = plan ?? {};
  if (!json)
    sayLines(io, [
      {
        verb: "forget",
        value: [...new Set(removed.map(({ id }) => id))].join(" "),
        detail: count(removed.length, "release"),
      },
      { verb: "purge", value: `${count(urlCount, "URL")}, on stdout` },
      { verb: "kept", value: `${count(kept.length, "other old release")}, which may hold the same records` },
      { verb: "left", value: "targets, caches, mirrors and backups: see docs/guides/operate.md, privacy" },
    ]);
  if (unknown.length > 0)
    say(io, `Incomplete releases, whose URLs are unknown: ${listed(unknown)}. Purge all of the listing.`);
  warnUntidied(io, untidied);
  return untidied.length > 0 ? ExitCode.refused : ExitCode.done;
}

/** Prints URLs, and waits. @throws UserError if stdout cannot be written */
async function printUrls(io: Io, lines: readonly string[]): Promise<void> {
  try {
    await printAndWait(io, lines.join("\n"));
  } catch (cause) {
    const why = codeOf(cause) ?? String(cause);
    throw new UserError(
      `The URLs cannot be written to stdout (${why}), so nothing was removed. Free some space, then run this again.`,
      { cause },
    );
  }
}
