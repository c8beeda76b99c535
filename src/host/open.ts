/** The host as the library gives it: its options are checked first. */
import { callback, checkOptions, folder, type Rules } from "../config/options.js";
import { pick } from "../config/settings.js";
import { createHost, type Host, type HostEffects, type HostOptions } from "./host.js";

const OPTIONS: Rules<HostOptions> = { folder, ...pick("cacheControl", "cacheMb") };
const EFFECTS: Rules<HostEffects> = { log: callback, access: callback, onSwitch: callback };

/**
 * Opens what is to be served.
 * @throws UserError for a missing or broken release and for options that are unknown or cannot be used.
 */
export async function openHost(options: HostOptions, effects: HostEffects = {}): Promise<Host> {
  return createHost(
    checkOptions("createHost", options, OPTIONS, ["folder"]),
    checkOptions("createHost's second argument", effects, EFFECTS),
  );
}
