/** Several processes that serve one folder on one port: each is a host by itself, and this one only minds them. */
import { SETTINGS } from "../../settings/table.js";
import { createListingServer, type ListingServer, type ListingServerOptions, type ServedRelease } from "../server.js";
import { toServed } from "./messages.js";
import { type Pool, type PoolEffects, startPool } from "./processes.js";

export type Cluster = Pick<ListingServer, "listen" | "reload" | "close"> & {
  readonly release: ServedRelease;
};

/**
 * As `createHost`, by `workers` processes, which share `cacheMb` equally. Only one fleet can be in a process.
 * @throws UserError as `createHost` does
 */
export async function createCluster(
  { cacheMb = SETTINGS.cacheMb.default, ...options }: ListingServerOptions,
  effects: PoolEffects,
  workers: number,
): Promise<Cluster> {
  const shared: ListingServerOptions = { ...options, cacheMb: cacheMb / workers };
  // Refuses what cannot be served or listened on, before any worker is there to stumble over it.
  const probe = await createListingServer(shared, { log: effects.log });
  let release = toServed(probe.release);
  let pool: Pool | undefined;
  let closed: Promise<void> | undefined;
  const onSwitch = (next: ServedRelease) => {
    if (next.folder === release.folder) return;
    release = next;
    effects.onSwitch?.(next);
  };
  return {
    get release() {
      return release;
    },
    async listen(address) {
      const { url } = await probe.listen(address);
      await probe.close();
      const port = address.port || Number(new URL(url).port);
      const orders = {
        options: shared,
        address: { ...address, port },
        hasAccess: effects.access !== undefined,
      };
      pool = startPool(orders, workers, { ...effects, onSwitch });
      await pool.ready;
      return { url };
    },
    async reload() {
      pool?.tell("reload");
    },
    close: () => (closed ??= Promise.all([probe.close(), pool?.close()]).then(() => {})),
  };
}
