// Builds in a separate process, from the compiled library, one build per message. argv: SQLite file, dist.
import { build } from "../../lib/index.js";

const [, , db, dist] = process.argv;
process.on("message", async () => {
  const { id, new: isNew } = await build({
    db,
    dist,
    baseUrl: "https://directory.example.com",
    pageSize: 50,
    compress: ["gzip"],
    keep: 1_000,
  });
  process.send({ id, isNew });
});
