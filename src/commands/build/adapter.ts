/** `rollcall build --adapt NAME`: what the host needs in the published folder, and what of the build it cannot use. */
import { ADAPTERS, adapterOf, unsupportedFeatures } from "../../adapters/adapters.js";
import type { AdapterFile } from "../../adapters/rules/adapter.js";
import { rulesOf, servedEncodings } from "../../adapters/rules/rules.js";
import { DEFAULT_CACHE_CONTROL } from "../../contract/headers.js";
import { AVATAR_PATH, basePath, parseBaseUrl } from "../../contract/links.js";
import { usageError } from "../../errors.js";
import { align, painter } from "../../print/style.js";
import { SNAPSHOT, SUMS } from "../../release/layout.js";
import { need } from "../../settings/resolve.js";
import type { Settings } from "../../settings/settings.js";
import { type Io, say } from "../program/verb.js";

/** @throws UserError (usage) when there is no such host, or it needs nothing in the release. */
export function filesFor(name: string, settings: Settings): Pick<AdapterFile, "path" | "text">[] {
  const adapter = adapterOf(name);
  if (!adapter.published) {
    const others = ADAPTERS.filter(({ published }) => published).map((candidate) => candidate.name);
    throw usageError(
      `${name} needs no file in the release: build without --adapt, then "rollcall adapt ${name}". Hosts that do are ${others.join(", ")}.`,
    );
  }
  const rules = rulesOf({
    base: basePath(parseBaseUrl(need(settings, "baseUrl").baseUrl)),
    encodings: servedEncodings(adapter.compression, settings.compress ?? []),
    cacheControl: settings.cacheControl ?? DEFAULT_CACHE_CONTROL,
    others: [...(settings.defaultAvatar === undefined ? [AVATAR_PATH] : []), SNAPSHOT, SUMS],
  });
  return adapter.published(rules).map(({ path, text }) => ({ path, text }));
}

/** Says what the chosen host cannot use. */
export function sayUnsupported({ adapt, compress = [], links }: Settings, io: Io): void {
  const notes = adapt === undefined ? [] : unsupportedFeatures(adapterOf(adapt), { encodings: compress, links });
  if (notes.length === 0) return;
  const lines = notes.map((value) => ({ verb: "note", value, loud: true }));
  say(io, align(lines, painter(io.stderr, io.env)));
}
