/** Several processes that serve one folder on one port. Each is a whole server; the first process only manages them. */
import type { Address } from "../connections/listen.js";
import { type CountedServer, createListingServer, type ListingServerOptions, type ServedRelease } from "../server.js";
import { defaultCacheMb } from "../store.js";
import { type ClusterEffects, startProcesses } from "./processes.js";

/** Serves as `createListingServer` does, by processes that share `cacheMb`. A process can have only one cluster. */
export async function createCluster(
  { cacheMb = defaultCacheMb(), ...options }: ListingServerOptions,
  effects: ClusterEffects,
  workers: number,
): Promise<Pick<CountedServer, "listen" | "reload" | "close" | "state"> & { readonly release: ServedRelease }> {
  const shared: ListingServerOptions = { ...options, cacheMb: cacheMb / workers };
  // Refuses what cannot be served or listened on before any worker is started.
  const probe = await createListingServer(shared, { log: effects.log, signal: effects.signal });
  const { folder, snapshot, contract } = probe.release;
  let release: ServedRelease = { folder, snapshot, contract };
  let processes: ReturnType<typeof startProcesses> | undefined;
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
      const bound = "fd" in address ? address : await portOf(probe, address);
      await probe.close();
      const orders = {
        options: shared,
        address: bound,
        hasAccess: effects.access !== undefined,
        hasCounts: effects.counts !== undefined,
      };
      processes = startProcesses(orders, workers, { ...effects, onSwitch });
      return { url: await processes.ready };
    },
    state: () => processes?.state() ?? { connections: 0, processes: 0 },
    async reload() {
      processes?.tell("reload");
    },
    close: () => (closed ??= Promise.all([probe.close(), processes?.close()]).then(() => {})),
  };
}

/** The address with the port that the system has chosen, where it may choose; found by listening there. */
async function portOf(probe: Pick<CountedServer, "listen">, address: Address): Promise<Address> {
  const { url } = await probe.listen(address);
  return { ...address, port: address.port || Number(new URL(url).port) };
}
