/** `rollcall serve` with a log, which tells what each reader asked for and was sent. */
import { readFileSync } from "node:fs";
import { CLI } from "./programs.js";
import { type Server, startServer } from "./serve/servers.js";

/** Requests, and bytes of the bodies that answered them. */
export interface Asked {
  requests: number;
  bytes: number;
}

export interface LoggedServer extends Server {
  /** Runs a reader. @returns what it gives, and what the server was asked for meanwhile. */
  counting<T>(read: () => Promise<T>): Promise<[T, Asked]>;
}

/** Serves what is current in `dist`, for a base URL of this machine. */
export async function startLogged(dist: string, baseUrl: string, log: string): Promise<LoggedServer> {
  const serve = 'exec "$0" "$1" serve "$2" --port "$3" --access-log > "$4"';
  const args = [process.execPath, CLI, dist, new URL(baseUrl).port, log];
  const server = await startServer(["sh", "-c", serve, ...args], `${baseUrl}/snapshot.json`);
  return {
    ...server,
    async counting(read) {
      const before = readFileSync(log, "utf8").length;
      const result = await read();
      return [result, await countSince(log, before, baseUrl)];
    },
  };
}

async function countSince(log: string, before: number, baseUrl: string): Promise<Asked> {
  const mark = `/snapshot.json?mark=${performance.now()}`;
  await (await fetch(`${baseUrl}${mark}`)).arrayBuffer();
  for (;;) {
    const lines = readFileSync(log, "utf8").slice(before).split("\n");
    const at = lines.findIndex((line) => line.includes(mark));
    const sent = lines.slice(0, at).flatMap((line) => / GET \S+ \d+ (\d+) /.exec(line)?.[1] ?? []);
    if (at >= 0) return { requests: sent.length, bytes: sent.reduce((sum, bytes) => sum + Number(bytes), 0) };
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
