/** Every verb, in the order of help. Each is loaded when it is wanted: all of them take longer to load than many runs. */
import type { Verb } from "./verb.js";

const LOADERS: ReadonlyMap<string, () => Promise<Verb>> = new Map([
  ["init", async () => (await import("../init.js")).initVerb],
  ["build", async () => (await import("../build/build.js")).buildVerb],
  ["diff", async () => (await import("../diff.js")).diffVerb],
  ["verify", async () => (await import("../verify.js")).verifyVerb],
  ["serve", async () => (await import("../serve.js")).serveVerb],
  ["adapt", async () => (await import("../adapt.js")).adaptVerb],
  ["publish", async () => (await import("../publish.js")).publishVerb],
  ["releases", async () => (await import("../releases.js")).releasesVerb],
  ["use", async () => (await import("../use.js")).useVerb],
]);

/** The verb that a command line begins with; all of them where it begins with none, as help and suggestions need. */
export async function loadVerbs(first?: string): Promise<Verb[]> {
  const named = LOADERS.get(first ?? "");
  const wanted = named ? [named] : [...LOADERS.values()];
  return Promise.all(wanted.map((load) => load()));
}
