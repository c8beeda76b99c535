/** The files for other hosts that a build puts into a release. */
import { type HostFile, publishedFor } from "./host.js";
import { hostOf } from "./hosts.js";
import { type SiteSettings, servedEncodings, siteRulesOf } from "./rules.js";

/** The hosts' files that a build publishes. @throws UserError (usage) if a host does not exist */
export function publishedFiles(adapt: readonly string[], settings: SiteSettings): Pick<HostFile, "path" | "text">[] {
  return adapt.map(hostOf).flatMap((host) => {
    const encodings = servedEncodings(host.compression, settings.encodings);
    const rules = siteRulesOf({ ...settings, encodings });
    return publishedFor(host, rules).map(({ path, text }) => ({ path, text }));
  });
}
