/** Ports for tests whose servers have to be told theirs beforehand. */
import { createServer } from "node:net";

/** Pages name the address that they are read from, so it has to be known before they are made. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      const port = typeof address === "object" && address !== null ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
}
