/** `rollcall forget`: removes kept releases for good. */
import { ExitCode } from "../errors.js";
import { count } from "../print/numbers.js";
import { listed, toJson } from "../print/text.js";
import { warnUntidied } from "./program/failure.js";
import { type Given, type Io, print, say, sayLines, type Verb } from "./program/verb.js";

export const forgetVerb: Verb = {
  name: "forget",
  summary: "Remove kept releases for good, and print the URLs that caches have to forget",
  arguments: { "<id...>": "ids of releases or the beginnings of them, or previous; never the current one" },
  examples: [
    ["rollcall forget 1f6a 77b0c2", "remove two releases; the URLs of what only they had are on stdout"],
    ["rollcall forget previous > purge.txt", "remove the one before, which still has whom the current one has not"],
  ],
  configured: true,
  run: runForget,
};

async function runForget({ settings, words }: Given, io: Io): Promise<ExitCode> {
  const { json, out } = settings;
  const { forgetReleases } = await import("../publish/forget.js");
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
