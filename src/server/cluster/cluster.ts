/** A cluster: several processes that serve one folder on one port. The first process starts and replaces them. */
import cluster, { type Worker } from "node:cluster";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { UserError } from "../../errors.js";
import type { AccessItem } from "../access-log.js";
import { SERVER_LIMITS } from "../limits.js";
import { defaultCacheMb } from "../page-cache.js";
import {
  type CountedEffects,
  type CountedServer,
  createListingServer,
  type ListingServerOptions,
  type ServedRelease,
} from "../server.js";
import type { FromWorker, ToWorker, WorkerOrders } from "./worker.js";

export interface ClusterEffects extends Omit<CountedEffects, "access"> {
  access?: ((item: AccessItem) => void) | undefined;
  /** Called when no process serves any more, and none can be started. */
  onFailure(error: UserError): void;
}

export type ClusterServer = Pick<CountedServer, "listen" | "reload" | "close" | "state"> & {
  readonly release: ServedRelease;
};

/** Delay until a process that has ended is replaced. It doubles each time until a process has lived for `calmMs`. */
const RESTART = { firstMs: 100, mostMs: 5_000, calmMs: 10_000 } as const;

/** Failed starts in a row for each process, some 7 seconds, after which a pool without a serving process gives up. */
const MOST_FAILURES = 6;

/** Milliseconds after `closeMs` until a process that has not ended is killed, so that shutdown takes at most 10 seconds. */
const KILL_MS = 500;

const MEMORY_HINT = ", perhaps for lack of memory; fewer --processes need less";

/** Serves like `createListingServer`, with several processes that share `cacheMb`. A process can have only one cluster. */
export async function createCluster(
  { cacheMb = defaultCacheMb(), ...options }: ListingServerOptions,
  effects: ClusterEffects,
  workers: number,
): Promise<ClusterServer> {
  const shared: ListingServerOptions = { ...options, cacheMb: cacheMb / workers };
  // Report a release that cannot be served, or an address that is in use, before any worker is started.
  const probe = await createListingServer(shared, { log: effects.log, signal: effects.signal });
  const { folder, snapshot, contract } = probe.release;
  let release: ServedRelease = { folder, snapshot, contract };
  let pool: ReturnType<typeof startPool> | undefined;
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
    async listen(given) {
      let address = given;
      if (!("fd" in address)) {
        // If the system chooses the port, it does so here, once for all processes.
        const { url } = await probe.listen(address);
        address = { ...address, port: address.port || Number(new URL(url).port) };
      }
      await probe.close();
      const { access, counts } = effects;
      const orders = { options: shared, address, hasAccess: access !== undefined, hasCounts: counts !== undefined };
      pool = startPool(orders, workers, { ...effects, onSwitch });
      return { url: await pool.ready };
    },
    state: () => pool?.state() ?? { connections: 0, processes: 0, counted: [] },
    async reload() {
      pool?.broadcast("reload");
    },
    close: () => (closed ??= Promise.all([probe.close(), pool?.close()]).then(() => {})),
  };
}

/** A running process. */
interface Member extends Pick<FromWorker, "counted" | "refusal"> {
  isReady: boolean;
  /** The folder of the release that it serves: several releases can have one id. */
  folder?: string;
}

/** Keeps processes running: replaces each one that ends, until none serves and none can be started. */
function startPool(orders: WorkerOrders, workers: number, effects: ClusterEffects) {
  // Each process accepts connections itself. With round-robin, a connection would be lost, and its descriptor would stay
  // open here, if its process dies before it gets the connection.
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  cluster.setupPrimary({
    exec: fileURLToPath(new URL("./worker.js", import.meta.url)),
    args: [JSON.stringify(orders)],
    // Entries hold dates.
    serialization: "advanced",
    // A child that inherits a pipe makes writes to it synchronous, also for its parent.
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  const alive = new Map<Worker, Member>();
  const closing = new AbortController();
  /** Whether all processes have been listening at the same time. */
  let isUp = false;
  /** Failed starts since the last one that succeeded. */
  let failures = 0;
  const countReady = () => [...alive.values()].filter(({ isReady }) => isReady).length;
  const broadcast = (message: ToWorker) => {
    for (const worker of alive.keys()) if (worker.isConnected()) worker.send(message);
  };

  /** Runs one process from start to end. `what` describes its end for messages. */
  const runOne = async (onReady: (url: string) => void) => {
    const worker = cluster.fork();
    const started = Date.now();
    const member: Member = { isReady: false };
    alive.set(worker, member);
    const said = createInterface({ input: worker.process.stderr as Readable });
    said.on("line", (line) => effects.log?.(line));
    worker.on("message", ({ line, entries = [], release, url, ...news }: FromWorker) => {
      Object.assign(member, news);
      if (line !== undefined) effects.log?.(line);
      for (const entry of entries) effects.access?.(entry);
      if (release) {
        member.folder = release.folder;
        if ([...alive.values()].every(({ folder }) => folder === release.folder)) effects.onSwitch?.(release);
      }
      if (url === undefined) return;
      member.isReady = true;
      onReady(url);
      // A process that is starting does not receive messages.
      if (closing.signal.aborted) worker.send("close" satisfies ToWorker);
    });
    const how = await endOf(worker);
    alive.delete(worker);
    const { isReady: wasReady, refusal, counted } = member;
    if (counted) effects.counts?.addAll(counted.values);
    const name = `Process ${worker.process.pid}`;
    const ended = `${name} ended (${how})`;
    const failed = refusal
      ? `${name} cannot serve: ${refusal.replace(/\.$/, "")}`
      : `${ended} while it started${how === "SIGKILL" ? MEMORY_HINT : ""}`;
    // SIGHUP came before the process ignored it: this is not a failure.
    const wasHungUp = how === "SIGHUP";
    return { what: wasReady ? ended : failed, wasReady, wasHungUp, livedMs: Date.now() - started };
  };
  /** Starts one process after another in one slot of the pool, until the pool closes or gives up. */
  const keepFilled = async (up: (url: string) => void, refuse: (error: UserError) => void) => {
    const onReady = (url: string) => {
      failures = 0;
      isUp ||= countReady() === workers;
      if (isUp) up(url);
    };
    for (let waitMs = 0; ; ) {
      const { what, wasReady, wasHungUp, livedMs } = await runOne(onReady);
      if (closing.signal.aborted) return;
      // The last process has closed the socket. Its owner still has it, and can start this program again.
      if (isUp && "fd" in orders.address && countReady() === 0)
        return effects.onFailure(new UserError(`No process serves any more: ${what}.`));
      if (!wasReady) {
        failures++;
        if (!isUp && !wasHungUp) return refuse(new UserError(`${what}.`));
        if (countReady() === 0 && failures >= MOST_FAILURES * workers)
          return effects.onFailure(new UserError(`No process serves any more, and none can be started: ${what}.`));
      }
      const isFirst = waitMs === 0 || livedMs >= RESTART.calmMs;
      waitMs = isFirst ? RESTART.firstMs : Math.min(waitMs * 2, RESTART.mostMs);
      effects.log?.(`${what}; another one starts in ${waitMs} ms.`);
      // Without a running child, only this timer keeps this process alive.
      await sleep(waitMs, undefined, { signal: closing.signal }).catch(() => {});
      if (closing.signal.aborted) return;
    }
  };

  let slots: Promise<void>[] = [];
  const ready = new Promise<string>((resolve, reject) => {
    slots = Array.from({ length: workers }, () => keepFilled(resolve, reject));
  });
  return {
    /** Resolves to the URL when all processes are listening; rejects if one cannot be started. */
    ready,
    broadcast,
    state() {
      const counted = [...alive.values()].flatMap((member) => member.counted ?? []);
      const connections = counted.reduce((sum, { connections }) => sum + connections, 0);
      return { connections, processes: countReady(), counted: counted.map(({ values }) => values) };
    },
    /** Ends all processes and starts no more. */
    async close() {
      closing.abort();
      broadcast("close");
      const deadline = sleep(SERVER_LIMITS.closeMs + KILL_MS, undefined, { ref: false });
      await Promise.race([Promise.all(slots), deadline]);
      for (const { process } of alive.keys()) process.kill("SIGKILL");
    },
  };
}

/** Resolves to the exit code, the signal, or why the process could not be started. */
function endOf(worker: Worker): Promise<string | number> {
  return new Promise((resolve) => {
    worker.on("error", (error) => {
      // A process that could not be started has no exit event. One that ended before a message reached it has.
      if (worker.process.pid === undefined) resolve(error.message);
    });
    worker.once("exit", (code, signal) => resolve(signal ?? code));
  });
}
