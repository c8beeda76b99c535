/** The record in dist of the settings with which hosts' files were written, so that a build can say when they no longer fit. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { parseAs } from "../core/contract/json.js";
import { hasCode } from "../core/errors.js";
import { HOST_SETTINGS } from "../core/release/layout.js";
import type { HostSettings } from "./rules.js";

/** Settings in words, by host. */
const RECORD = z.record(z.string(), z.string());

/** Reads the record. A missing or damaged one is empty. */
function readRecord(dist: string): z.infer<typeof RECORD> {
  try {
    return parseAs(RECORD, readFileSync(join(dist, HOST_SETTINGS), "utf8")) ?? {};
  } catch (error) {
    if (hasCode(error, "ENOENT")) return {};
    throw error;
  }
}

function inWords({ base, listings, encodings, cacheControl }: HostSettings): string {
  const paths = listings.map(({ name, path }) => `${base}${name === "" ? "" : `/${name}`}${path}`);
  return `the ${paths.length === 1 ? "path" : "paths"} ${paths.join(" ")}, --compress ${encodings.join() || "none"} and --cache-control "${cacheControl}"`;
}

/** The record's path, and its text with the settings of one more host. */
export function settingsRecord(dist: string, host: string, settings: HostSettings): [path: string, text: string] {
  const record = { ...readRecord(dist), [host]: inWords(settings) };
  return [join(dist, HOST_SETTINGS), `${JSON.stringify(record, null, 2)}\n`];
}

/** A note for each host whose files were written for other settings than those of a build. */
export function notesOnSettings(dist: string, settings: HostSettings): string[] {
  const now = inWords(settings);
  return Object.entries(readRecord(dist))
    .filter(([, then]) => then !== now)
    .map(
      ([host, then]) =>
        `the files of rollcall host ${host} are for ${then}, but this release has ${now}; move them away and run "rollcall host ${host}" again with these settings`,
    );
}
