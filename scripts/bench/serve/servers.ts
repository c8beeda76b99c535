/** Servers in processes of their own, on one core, and what they cost. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { delimiter } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isInstalled, programFolders } from "./contestants.js";

export interface Server {
  pid: number;
  /** Bytes resident, of the process and all below it. */
  memory(): number;
  /** CPU seconds used so far, by the same. */
  cpu(): number;
  end(): Promise<void>;
}

const PATH = programFolders().join(delimiter);
const started = new Set<ChildProcess>();
process.once("exit", () => {
  for (const child of started) child.kill("SIGKILL");
});

/** Puts a command on one core, where the system lets us. */
export function pinned(core: number, command: readonly string[]): readonly string[] {
  return isInstalled("taskset") ? ["taskset", "-c", `${core}`, ...command] : command;
}

/** Starts a server, and waits until something listens on its port. */
export async function startServer(command: readonly string[], port: number): Promise<Server> {
  const [program = "", ...args] = pinned(0, command);
  const child = spawn(program, args, { stdio: ["ignore", "ignore", "pipe"], env: { ...process.env, PATH } });
  started.add(child);
  let said = "";
  child.stderr.on("data", (chunk) => {
    said = (said + chunk).slice(-2000);
  });
  const exited = once(child, "exit").then(() => started.delete(child));
  const { pid } = child;
  if (pid === undefined) throw new Error(`${program} cannot be started`);
  const deadline = Date.now() + 15_000;
  while (!(await answers(port))) {
    if (child.exitCode !== null || Date.now() > deadline)
      throw new Error(`${command.join(" ")} does not listen: ${said}`);
    await sleep(20);
  }
  return {
    pid,
    memory: () => sum(family(pid), memoryOf),
    cpu: () => sum(family(pid), cpuOf),
    async end() {
      child.kill("SIGTERM");
      const cut = setTimeout(() => child.kill("SIGKILL"), 5_000);
      await exited;
      clearTimeout(cut);
    },
  };
}

/** A port that is free now. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" ? (address?.port ?? 0) : 0;
}

async function answers(port: number): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}/`).then(
    () => true,
    () => false,
  );
}

/** A process and its descendants. */
function family(pid: number): number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    parents.set(Number(name), Number(statOf(Number(name))[1] ?? 0));
  }
  const isBelow = (id: number): boolean => id === pid || (id > 1 && isBelow(parents.get(id) ?? 0));
  return [...parents.keys()].filter(isBelow);
}

function memoryOf(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(procText(pid, "status"))?.[1] ?? 0) * 1024;
}

const TICKS_A_SECOND = 100;

function cpuOf(pid: number): number {
  const fields = statOf(pid);
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) / TICKS_A_SECOND;
}

/** The fields of /proc/PID/stat from the state on. */
function statOf(pid: number): string[] {
  return procText(pid, "stat")
    .replace(/^.*\) /s, "")
    .split(" ");
}

/** Empty where the process has ended, or where there is no /proc. */
function procText(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, "utf8");
  } catch {
    return "";
  }
}

function sum(pids: readonly number[], of: (pid: number) => number): number {
  return pids.reduce((total, pid) => total + of(pid), 0);
}
