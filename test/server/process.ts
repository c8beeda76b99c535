/** A server in a process of its own, seen from outside. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { LITTLE_GARBAGE } from "../support/memory.js";

export interface ServerProcess {
  port: number;
  /** What it logged, and what it wrote to standard error. */
  lines: string[];
  /** Resident memory, in bytes. */
  memory(): Promise<number>;
  isAlive(): boolean;
  /** Ends it as an operator would. Resolves to its exit code. */
  end(): Promise<number | null>;
}

interface Message {
  url?: string;
  rss?: number;
  line?: string;
}

export async function startProcess(folder: string): Promise<ServerProcess> {
  const child = fork(new URL("process.mjs", import.meta.url), [folder], { execArgv: [LITTLE_GARBAGE], silent: true });
  const lines: string[] = [];
  child.stderr?.on("data", (chunk: Buffer) => lines.push(chunk.toString()));
  child.on("message", ({ line }: Message) => line !== undefined && lines.push(line));
  const { url = "" } = await next(child, ({ url }) => url !== undefined);
  const exited = once(child, "exit");
  return {
    port: Number(new URL(url).port),
    lines,
    async memory() {
      const answer = next(child, ({ rss }) => rss !== undefined);
      child.send("memory");
      return (await answer).rss ?? 0;
    },
    isAlive: () => child.exitCode === null && child.signalCode === null,
    async end() {
      child.kill("SIGTERM");
      const [code] = await exited;
      return code;
    },
  };
}

function next(child: ChildProcess, isIt: (message: Message) => boolean): Promise<Message> {
  return new Promise((resolve, reject) => {
    const hear = (message: Message) => {
      if (!isIt(message)) return;
      child.off("message", hear);
      child.off("exit", died);
      resolve(message);
    };
    const died = (code: number | null) => reject(new Error(`The server's process ended with ${code}`));
    child.on("message", hear);
    child.once("exit", died);
  });
}
