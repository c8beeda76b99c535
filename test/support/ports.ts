/** Ports that must be known before a server starts, and a port in use. */
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { onTestFinished } from "vitest";

/**
 * Below those that the system gives to whoever asks for any: nobody else is given it before the test listens on it. Linux
 * begins at 32,768.
 */
const [FIRST, COUNT] = [20_000, 12_000];

/** A free port. Pages contain their URL, so it must be known before they are built. */
export async function freePort(): Promise<number> {
  for (;;) {
    const found = await listening(FIRST + randomInt(COUNT)).catch(() => undefined);
    if (!found) continue;
    found.server.close();
    await once(found.server, "close");
    return found.port;
  }
}

/** A port that is in use until the test ends. */
export async function takenPort(): Promise<number> {
  const { port, server } = await listening();
  onTestFinished(() => void server.close());
  return port;
}

/** @param wanted 0 for any. */
async function listening(wanted = 0) {
  const server = createServer().listen(wanted, "127.0.0.1");
  await once(server, "listening");
  return { server, port: (server.address() as AddressInfo).port };
}
