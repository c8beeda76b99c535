/** What a finished build tells its user besides its figures: sentences about the hosts of `--adapt`. */
import { openIfComplete } from "../release/open.js";
import type { BuildSettings } from "./options.js";

/**
 * Makes the notes of a build: what the hosts of `adapt` cannot use, and the limits that the release exceeds.
 * @param folder of the release.
 */
export async function notesOf({ adapt = [], encodings, links }: BuildSettings, folder: string): Promise<string[]> {
  // Loaded only when needed: most builds have no files for other hosts.
  if (adapt.length === 0) return [];
  const { hostOf, unsupportedFeatures } = await import("../hosts/hosts.js");
  const { notesOnLimits } = await import("../hosts/limits.js");
  const hosts = adapt.map(hostOf);
  const unsupported = hosts.flatMap((host) => unsupportedFeatures(host, { encodings, links }));
  const release = await openIfComplete(folder);
  return release ? [...unsupported, ...(await notesOnLimits(hosts, release))] : unsupported;
}
