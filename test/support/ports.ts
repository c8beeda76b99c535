/** Ports for tests whose servers have to be told theirs beforehand, and one that a server cannot have. */
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { onTestFinished } from "vitest";

/**
 * Below those that the system gives to whoever asks for any: nobody else is given it before the test listens on it. Linux
 * begins at 32,768.
 */
const [FIRST, COUNT] = [20_000, 12_000];

/** A port on which nothing listens yet. Pages name the address that they are read from, so it has to be known before they are made. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST + randomInt(COUNT);
    const server = createServer().listen(port, "127.0.0.1");
    const isFree = await once(server, "listening").then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    server.close();
    await once(server, "close");
    return port;
  }
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
