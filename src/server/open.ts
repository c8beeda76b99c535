/** The host as the library gives it: its options are checked first. */
import { callback, checkOptions, folder, type Rules } from "../settings/options.js";
import { pick } from "../settings/settings.js";
import {
  createListingServer,
  type ListingServer,
  type ListingServerEffects,
  type ListingServerOptions,
} from "./server.js";

const OPTIONS: Rules<ListingServerOptions> = { folder, ...pick("cacheControl", "cacheMb") };
const EFFECTS: Rules<ListingServerEffects> = { log: callback, access: callback, onSwitch: callback };

/**
 * Opens what is to be served.
 * @throws UserError for a missing or broken release and for options that are unknown or cannot be used.
 */
export async function openListingServer(
  options: ListingServerOptions,
  effects: ListingServerEffects = {},
): Promise<ListingServer> {
  return createListingServer(
    checkOptions("createHost", options, OPTIONS, ["folder"]),
    checkOptions("createHost's second argument", effects, EFFECTS),
  );
}
