/** Cloudflare's runtime with a release as its assets: node workerd.mjs WORKER RELEASE PORT, until SIGTERM. */
import { readFileSync } from "node:fs";
import { Miniflare } from "miniflare";

const [, , worker, directory, port] = process.argv;
const runtime = new Miniflare({
  modules: true,
  script: readFileSync(worker, "utf8"),
  host: "127.0.0.1",
  port: Number(port),
  cf: false,
  compatibilityDate: "2026-01-01",
  assets: {
    directory,
    binding: "ASSETS",
    routerConfig: { has_user_worker: true, invoke_user_worker_ahead_of_assets: true },
    assetConfig: { html_handling: "none", not_found_handling: "none" },
  },
});
await runtime.ready;
process.on("SIGTERM", () => runtime.dispose().then(() => process.exit(0)));
