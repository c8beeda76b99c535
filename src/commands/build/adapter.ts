/** `rollcall build --adapt NAME`: what the host needs in the published folder, and what of the build it has no use for. */

import { ADAPTERS, adapterOf } from "../../adapters/adapters.js";
import type { AdapterFile } from "../../adapters/rules/adapter.js";
import { rulesOf } from "../../adapters/rules/rules.js";
import { unsupportedFeatures } from "../../adapters/unsupported.js";
import { DEFAULT_CACHE_CONTROL } from "../../contract/headers.js";
import { AVATAR_PATH, basePath, parseBaseUrl } from "../../contract/links.js";
import { usageError } from "../../errors.js";
import { align, painter } from "../../print/style.js";
import { SNAPSHOT, SUMS } from "../../release/layout.js";
import { need } from "../../settings/resolve.js";
import type { Settings } from "../../settings/settings.js";
import { type Io, say } from "../program/verb.js";

/** @throws UserError (usage) when there is no such host, or it needs nothing in the release. */
export function filesFor(name: string, settings: Settings): Omit<AdapterFile, "goes">[] {
  const target = adapterOf(name);
  if (!target.published) {
    const able = ADAPTERS.filter(({ published }) => published).map((candidate) => candidate.name);
    throw usageError(
      `${name} needs no file in the release: build without --adapt, then "rollcall adapt ${name}". Hosts that do are ${able.join(", ")}.`,
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
export function sayUnsupported({ adapt, compress = [], links }: Settings, io: Io): void {
  if (adapt === undefined) return;
  const notes = unsupportedFeatures(adapterOf(adapt), { encodings: compress, links });
  if (notes.length === 0) return;
  const lines = notes.map((value) => ({ verb: "note", value, loud: true }));
  say(io, align(lines, painter(io.stderr, io.env)));
}
