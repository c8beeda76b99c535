// Serves a folder in a process of its own, from the compiled library, so that its memory and its death are its own.
// argv: folder. Sends its URL, then its memory in bytes for each message; SIGTERM ends it.
import { createServer } from "../../lib/index.js";

const server = await createServer({ folder: process.argv[2] }, { log: (line) => process.send({ line }) });
process.send({ url: (await server.listen({ port: 0 })).url });
process.on("message", () => process.send({ rss: process.memoryUsage.rss() }));
process.on("SIGTERM", async () => {
  await server.close();
  process.disconnect();
});
