/** Binds a server to an address, and explains errors. */
import type { ListenOptions, Server } from "node:net";
import { hasCode, UserError, usageError } from "../core/errors.js";
import type { OptionsOf } from "../core/settings/settings.js";
import { SETTINGS } from "../core/settings/table.js";

/** A port (0 lets the system choose), and a name or address of this machine. */
export type Address = OptionsOf<"host"> & { port: number };

/** The descriptor of a listening socket that the parent process handed over. */
export interface HandedSocket {
  fd: number;
}

/** The names of the flags in messages. */
type ListenFlags = Readonly<Record<"port" | "host", string>>;
const LISTEN_FLAGS: ListenFlags = { port: "--port", host: "--host" };

/** Starts listening. @returns the origin, such as `http://127.0.0.1:8080`. @throws UserError if it cannot. */
export async function listen(
  server: Server,
  given: Address | HandedSocket,
  backlog: number,
  flags: ListenFlags = LISTEN_FLAGS,
) {
  if ("fd" in given) await begin(server, { fd: given.fd, backlog }, noListener);
  else {
    const { port, host = SETTINGS.host.default } = given;
    const { schema, range } = SETTINGS.port;
    if (!schema.safeParse(port).success) throw usageError(`Port must be ${range}, got ${port}.`);
    await begin(server, { port, host, backlog }, (cause) => explain(cause, port, host, flags));
  }
  const bound = server.address();
  // A Unix socket has a path, or null if another process holds it.
  if (bound === null || typeof bound === "string") throw noListener();
  const { address, family, port } = bound;
  return `http://${family === "IPv6" ? `[${address}]` : address}:${port}`;
}

async function begin(
  server: Server,
  options: ListenOptions | HandedSocket,
  explained: (cause: Error) => Error,
): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const refuse = (cause: Error) => reject(explained(cause));
    server.once("error", refuse);
    server.listen(options, () => {
      server.off("error", refuse);
      resolve();
    });
  });
}

function noListener(cause?: Error): UserError {
  return usageError(
    "The descriptor that was handed over (LISTEN_FDS) is not a listening TCP socket; give the .socket unit one ListenStream= with a port.",
    cause,
  );
}

/** Turns a known system error into a UserError; returns any other error as it is. */
function explain(cause: Error, port: number, host: string, flags: ListenFlags): Error {
  const refuse = (why: string) => new UserError(why, { cause });
  if (hasCode(cause, "EADDRINUSE"))
    return refuse(
      `Port ${port} on ${host} is in use; stop the process that listens there, or choose another ${flags.port}.`,
    );
  if (hasCode(cause, "EACCES", "EPERM"))
    return refuse(`Port ${port} is not open to this user; choose a ${flags.port} above 1023.`);
  if (hasCode(cause, "EADDRNOTAVAIL", "ENOTFOUND", "EAI_AGAIN", "EINVAL"))
    return refuse(
      `${JSON.stringify(host)} is not an address of this machine; use ${flags.host} 127.0.0.1, or 0.0.0.0 for all of its addresses.`,
    );
  return cause;
}
