/** Ports for tests whose servers have to be told theirs beforehand, and one that a server cannot have. */
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { onTestFinished } from "vitest";

/** Pages name the address that they are read from, so it has to be known before they are made. */
export async function freePort(): Promise<number> {
  const { port, server } = await listening();
  server.close();
  await once(server, "close");
  return port;
}

/** Something else listens on it until the test is over. */
export async function takenPort(): Promise<number> {
  const { port, server } = await listening();
  onTestFinished(() => void server.close());
  return port;
}

async function listening() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  return { server, port: (server.address() as AddressInfo).port };
}
