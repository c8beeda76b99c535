/** `rollcall build --host NAME`: what the host needs in the published folder, and what of the build it has no use for. */

import { need } from "../config/resolve.js";
import type { Settings } from "../config/settings.js";
import { DEFAULT_CACHE_CONTROL } from "../contract/headers.js";
import { AVATAR_PATH, basePath, parseBaseUrl } from "../contract/links.js";
import { usageError } from "../errors.js";
import { misfits } from "../hosts/misfits.js";
import { rulesOf } from "../hosts/rules.js";
import type { HostFile } from "../hosts/target.js";
import { TARGETS, targetOf } from "../hosts/targets.js";
import { align, painter } from "../print/style.js";
import { SNAPSHOT, SUMS } from "../release/layout.js";
import { type Io, say } from "./io.js";

/** @throws UserError (usage) when there is no such host, or it needs nothing in the release. */
export function filesFor(name: string, settings: Settings): Omit<HostFile, "goes">[] {
  const target = targetOf(name);
  if (!target.published) {
    const able = TARGETS.filter(({ published }) => published).map((candidate) => candidate.name);
    throw usageError(
      `${name} needs no file in the release: build without --host, then "rollcall host ${name}". Hosts that do are ${able.join(", ")}.`,
    );
  }
  const { links, compress = [], cacheControl = DEFAULT_CACHE_CONTROL, defaultAvatar } = settings;
  const rules = rulesOf({
    base: basePath(parseBaseUrl(need(settings, "baseUrl").baseUrl)),
    links,
    encodings: compress.filter((encoding) => target.siblings.includes(encoding)),
    cacheControl,
    others: [...(defaultAvatar === undefined ? [AVATAR_PATH] : []), SNAPSHOT, SUMS],
  });
  return target.published(rules).map(({ path, text }) => ({ path, text }));
}

/** Says what the chosen host has no use for. */
export function sayMisfits({ target, compress = [], links }: Settings, io: Io): void {
  if (target === undefined) return;
  const notes = misfits(targetOf(target), { encodings: compress, links });
  if (notes.length === 0) return;
  const lines = notes.map((value) => ({ verb: "note", value, loud: true }));
  say(io, align(lines, painter(io.stderr, io.env)));
}
