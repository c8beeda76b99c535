/** Several processes that serve one folder on one port: each is a host by itself, and this one only minds them. */
import { createHost, type Host, type HostOptions, type ServedRelease } from "./host.js";
import { type Pool, type PoolEffects, startPool } from "./pool.js";
import { toServed } from "./worker-messages.js";

export type Fleet = Pick<Host, "listen" | "reload" | "close"> & { readonly release: ServedRelease };

/**
 * As `createHost`, by `workers` processes, which share `cacheMb` equally. Only one fleet can be in a process.
 * @throws UserError as `createHost` does
 */
export async function createFleet(
  { cacheMb = 256, ...options }: HostOptions,
  effects: PoolEffects,
  workers: number,
): Promise<Fleet> {
  const shared: HostOptions = { ...options, cacheMb: cacheMb / workers };
  // Refuses what cannot be served or listened on, before any worker is there to stumble over it.
  const probe = await createHost(shared, { log: effects.log });
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
