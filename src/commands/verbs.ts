/** Every verb, in the order of help. Each is loaded when it is wanted: all of them take longer to load than many runs. */
import type { Verb } from "./verb.js";

const LOADERS: ReadonlyMap<string, () => Promise<Verb>> = new Map([
  ["init", async () => (await import("./init.js")).init],
  ["build", async () => (await import("./build.js")).build],
  ["diff", async () => (await import("./diff.js")).diff],
  ["verify", async () => (await import("./verify.js")).verify],
  ["serve", async () => (await import("./serve.js")).serve],
  ["host", async () => (await import("./host.js")).host],
  ["publish", async () => (await import("./publish.js")).publish],
  ["releases", async () => (await import("./releases.js")).releases],
  ["use", async () => (await import("./use.js")).use],
]);

/** The verb that a command line begins with; all of them where it begins with none, as help and suggestions need. */
export async function loadVerbs(first?: string): Promise<Verb[]> {
  const named = LOADERS.get(first ?? "");
  const wanted = named ? [named] : [...LOADERS.values()];
  return Promise.all(wanted.map((load) => load()));
}
