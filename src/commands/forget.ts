/** `rollcall forget`: removes kept releases for good. */
import { ExitCode } from "../errors.js";
import { count } from "../print/numbers.js";
import { listed, toJson } from "../print/text.js";
import { forgetReleases } from "../publish/forget.js";
import { warnUntidied } from "./program/failure.js";
import { type Given, type Io, print, say, sayLines } from "./program/verb.js";

export async function runForget({ settings, words }: Given, io: Io): Promise<ExitCode> {
  const { json, out } = settings;
  const urls: string[] = [];
  const onUrl = (url: string) => void (json ? urls.push(url) : print(io, url));
  let told = 0;
  const { removed, unknown, untidied } = await forgetReleases(out, words, {
    ...{ now: () => io.date(), cwd: io.cwd },
    onUrl(url) {
      told++;
      onUrl(url);
    },
  });
  if (json) print(io, toJson({ removed, urls, unknown, untidied }));
  else
    sayLines(io, [
      { verb: "forget", value: removed.map(({ id }) => id).join(" "), detail: count(removed.length, "release") },
      { verb: "purge", value: `${count(told, "URL")}, on stdout` },
      { verb: "left", value: "targets, caches, mirrors and backups: see docs/operating.md, privacy" },
    ]);
  if (unknown.length > 0)
    say(io, `Not whole, so that nobody knows their URLs: ${listed(unknown)}; purge all of the listing.`);
  warnUntidied(io, untidied);
  return untidied.length > 0 ? ExitCode.refused : ExitCode.done;
}
