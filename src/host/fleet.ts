/** Several processes that serve one folder on one port: each is a host by itself, and this one only minds them. */
import cluster, { type Worker } from "node:cluster";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { UserError } from "../errors.js";
import { createHost, type Host, type HostEffects, type HostOptions, type ServedRelease } from "./host.js";
import { LIMITS } from "./limits.js";
import type { Address } from "./listen.js";
import { type FromWorker, type ToWorker, toServed, type WorkerOrders } from "./worker-messages.js";

export type Fleet = Pick<Host, "listen" | "reload" | "close"> & { readonly release: ServedRelease };

/** How soon a worker that has ended is replaced: doubled each time until one has lived `calmMs`. */
const RESTART = { firstMs: 100, mostMs: 5_000, calmMs: 10_000 } as const;

/** How long after `closeMs` a worker that has not ended is killed: all must be over within 10 seconds. */
const KILL_MS = 500;

/**
 * As `createHost`, by `workers` processes, which share `cacheMb` equally. Only one fleet can be in a process.
 * @throws UserError as `createHost` does
 */
export async function createFleet(
  { cacheMb = 256, ...options }: HostOptions,
  effects: HostEffects,
  workers: number,
): Promise<Fleet> {
  const shared: HostOptions = { ...options, cacheMb: cacheMb / workers };
  // Refuses what cannot be served or listened on, before any worker is there to stumble over it.
  const probe = await createHost(shared, { log: effects.log });
  let release = toServed(probe.release);
  let crew: Crew | undefined;
  let closed: Promise<void> | undefined;
  const onSwitch = (next: ServedRelease) => {
    if (next.snapshot.id === release.snapshot.id) return;
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
      crew = startCrew(shared, { ...address, port }, { ...effects, onSwitch }, workers);
      await crew.ready;
      return { url };
    },
    async reload() {
      crew?.tell("reload");
    },
    close: () => (closed ??= Promise.all([probe.close(), crew?.close()]).then(() => {})),
  };
}

interface Crew {
  /** Resolves when all are listening; rejects when one cannot. */
  ready: Promise<unknown>;
  tell(message: ToWorker): void;
  close(): Promise<void>;
}

function startCrew(options: HostOptions, address: Address, effects: HostEffects, workers: number): Crew {
  const { log, access, onSwitch } = effects;
  const orders: WorkerOrders = { options, address, hasAccess: access !== undefined };
  cluster.setupPrimary({
    exec: fileURLToPath(new URL("./worker.js", import.meta.url)),
    args: [JSON.stringify(orders)],
    // Entries hold dates.
    serialization: "advanced",
  });
  const alive = new Map<Worker, { id?: string }>();
  let isClosing = false;

  const start = (waitMs: number): Promise<void> => {
    const worker = cluster.fork();
    const started = Date.now();
    const known: { id?: string } = {};
    alive.set(worker, known);
    return new Promise((resolve, reject) => {
      worker.on("message", (message: FromWorker) => {
        if (message.kind === "ready") {
          resolve();
          // What it was told while it started, it has not heard.
          if (isClosing) worker.send("close" satisfies ToWorker);
        } else if (message.kind === "log") log(message.line);
        else if (message.kind === "access") for (const entry of message.entries) access?.(entry);
        else if (message.kind === "refused") reject(new UserError(message.message));
        else {
          known.id = message.release.snapshot.id;
          if ([...alive.values()].every(({ id }) => id === known.id)) onSwitch?.(message.release);
        }
      });
      worker.once("error", reject);
      worker.once("exit", (code, signal) => {
        alive.delete(worker);
        reject(new Error(`Process ${worker.process.pid} ended before it listened (${signal ?? code}).`));
        if (!isClosing && isReady) restart(worker, signal ?? code, Date.now() - started, waitMs);
      });
    });
  };
  const restart = (worker: Worker, how: string | number, livedMs: number, waitedMs: number) => {
    const calm = livedMs >= RESTART.calmMs;
    const waitMs = calm || waitedMs === 0 ? RESTART.firstMs : Math.min(waitedMs * 2, RESTART.mostMs);
    log(`Process ${worker.process.pid} ended (${how}); another one starts in ${waitMs} ms.`);
    setTimeout(() => {
      if (!isClosing) start(waitMs).catch((error: Error) => log(error.message));
    }, waitMs).unref();
  };
  let isReady = false;
  const ready = Promise.all(Array.from({ length: workers }, () => start(0))).then(() => {
    isReady = true;
  });
  const tell = (message: ToWorker) => {
    for (const worker of alive.keys()) if (worker.isConnected()) worker.send(message);
  };
  return {
    ready,
    tell,
    async close() {
      isClosing = true;
      tell("close");
      const deadline = Date.now() + LIMITS.closeMs + KILL_MS;
      while (alive.size > 0 && Date.now() < deadline) await sleep(20);
      for (const { process } of alive.keys()) process.kill("SIGKILL");
    },
  };
}
