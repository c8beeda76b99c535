/** What a service manager such as systemd gives to a server and is told by it, by the protocols of sd_listen_fds and sd_notify. */
import { execFile } from "node:child_process";
import { hasCode, usageError } from "../../errors.js";
import type { HandedSocket } from "../../server/connections/listen.js";
import type { Io } from "./verb.js";

/** Descriptors that are handed over begin here, behind those of standard input, output and error. */
const FIRST = 3;

/**
 * The socket that this process was handed to listen on, if any. A descriptor that was meant for another process, such as
 * the one that started this one, does not count. So children may inherit the variables.
 * @param log hears that the socket comes before `--port` and `--host`, which have defaults and cannot be refused.
 * @throws UserError (usage) where several sockets were handed over.
 */
export function findHanded(
  { env, pid }: Pick<Io, "env" | "pid">,
  log: (line: string) => void,
): HandedSocket | undefined {
  const { LISTEN_PID, LISTEN_FDS = "0" } = env;
  if (LISTEN_PID !== String(pid) || LISTEN_FDS === "0") return undefined;
  if (LISTEN_FDS !== "1")
    throw usageError(
      `serve listens on one socket, and was handed ${JSON.stringify(LISTEN_FDS)} (LISTEN_FDS); give the .socket unit one ListenStream=, and the service one .socket unit.`,
    );
  log("Listening on the socket that was handed over (LISTEN_FDS), whatever --port and --host say.");
  return { fd: FIRST };
}

/**
 * Tells the service manager that something whole is served now, where one wants to know (NOTIFY_SOCKET). That is one
 * datagram to a socket of a kind that Node does not have, so systemd's own program sends it.
 */
export function tellReady({ env }: Pick<Io, "env">, log: (line: string) => void): void {
  if (!env["NOTIFY_SOCKET"]) return;
  execFile("systemd-notify", ["--ready"], { env: { ...env } }, (cause) => {
    if (!cause) return;
    const why = hasCode(cause, "ENOENT")
      ? "systemd-notify is not installed"
      : cause.message.trim().replaceAll("\n", " ");
    log(`The service manager cannot be told that this is ready: ${why}.`);
  });
}
