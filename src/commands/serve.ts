/** `rollcall serve`: the host, with its address, its logs and its signals. */

import { basename } from "node:path";
import type { Settings } from "../config/settings.js";
import { LISTING_PATH } from "../contract/links.js";
import { ExitCode } from "../errors.js";
import { createHost, type Host } from "../host/host.js";
import { accessLine } from "./access.js";
import { type Io, print, say } from "./io.js";
import { count } from "./numbers.js";
import { untilStopped } from "./signals.js";
import { align, type Paint, painter } from "./style.js";
import { shellWord, toJson, visible } from "./text.js";
import type { Given, Verb } from "./verb.js";

export const serve: Verb = {
  name: "serve",
  summary: "Serve the current release, and each later one as soon as it is current",
  arguments: { "[dist]": "folder of the releases (default: dist, or what out is set to)" },
  examples: [
    ["rollcall serve", "on http://127.0.0.1:8080"],
    ["rollcall serve --host 0.0.0.0 --port 80 --access-log", "to everyone, with a line for each request"],
  ],
  configured: true,
  run: runServe,
};

async function runServe({ settings }: Given, io: Io): Promise<ExitCode> {
  const log = (line: string) => say(io, visible(line));
  const host = await createHost(hostOptions(settings), {
    log,
    ...(settings.accessLog && { access: (entry) => print(io, accessLine(entry, settings.json)) }),
  });
  try {
    const { url } = await host.listen({ port: settings.port, host: settings.host });
    announce(host, url, settings, io);
    await untilStopped(host, io.signals, log);
    return ExitCode.done;
  } finally {
    // Also where the port is taken: a host that never listened still holds files.
    await host.close();
  }
}

function hostOptions({ out, cacheControl, cacheMb }: Settings) {
  return { folder: out, cacheMb, ...(cacheControl !== undefined && { cacheControl }) };
}

function announce({ release }: Host, url: string, settings: Settings, io: Io): void {
  const { id, count: users, pages } = release.snapshot;
  const listing = `${url}${LISTING_PATH}?format=api&page=1`;
  if (settings.json) print(io, toJson({ url, listing, id, name: basename(release.folder), users, pages }));
  else say(io, describeHost({ url, listing, id, users, pages }, painter(io.stderr, io.env)));
}

interface Served {
  url: string;
  listing: string;
  id: string;
  users: number;
  pages: number;
}

function describeHost({ url, listing, id, users, pages }: Served, paint: Paint): string {
  return align(
    [
      { verb: "serve", value: url, detail: `${id}: ${count(users, "user")} on ${count(pages, "page")}` },
      { verb: "try", value: `curl ${shellWord(listing)}` },
    ],
    paint,
  );
}
