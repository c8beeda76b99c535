/** What Prometheus reads of a server, made anew each time from what has been counted. */
import { basename } from "node:path";
import { Counter, Gauge, Registry } from "prom-client";
import { parseFolderName } from "../../release/name.js";
import type { ServerCounts } from "../counts.js";
import type { ServedRelease, ServerState } from "../server.js";

/** What is known of the server. */
export interface ServerFacts {
  counts: ServerCounts;
  state(): ServerState;
  /** The release that is served now, and since when it has been; undefined while none is. */
  served(): { release: ServedRelease; since: Date } | undefined;
}

export function createMetrics({ counts, state, served }: ServerFacts, now: () => Date): Registry {
  const registry = new Registry();
  const registers = [registry];

  const answers = (name: string, help: string, of: "requests" | "bytes") =>
    new Counter({
      ...{ name, help, registers, labelNames: ["status", "encoding"] },
      collect() {
        this.reset();
        for (const { status, encoding, ...numbers } of counts.answers()) this.inc({ status, encoding }, numbers[of]);
      },
    });
  answers("rollcall_requests_total", "Requests that were answered, or whose client left before.", "requests");
  answers("rollcall_response_body_bytes_total", "Bytes of the bodies of all answers.", "bytes");

  const events = (name: string, help: string, event: Parameters<ServerCounts["of"]>[0]) =>
    new Counter({
      ...{ name, help, registers },
      collect() {
        this.reset();
        this.inc(counts.of(event));
      },
    });
  events("rollcall_cache_hits_total", "Pages and small files that were answered from memory.", "cacheHits");
  events("rollcall_cache_reads_total", "Pages and small files that were read from the disk.", "cacheReads");
  events("rollcall_damaged_reads_total", "Reads of files whose bytes are not those of their digests.", "damaged");
  events("rollcall_switches_total", "Releases that were taken up since the start.", "switches");
  events("rollcall_refused_releases_total", "Releases that could not be taken up, once for each process.", "refused");
  events("rollcall_access_log_dropped_total", "Lines of the access log that its reader was too slow for.", "unlogged");

  const gauge = (name: string, help: string, value: () => number | undefined) =>
    new Gauge({
      ...{ name, help, registers },
      collect() {
        this.set(value() ?? Number.NaN);
      },
    });
  gauge("rollcall_connections", "Connections that are open.", () => state().connections);
  gauge("rollcall_processes", "Processes that serve.", () => state().processes);
  gauge("rollcall_snapshot_records", "Records of the release that is served.", () => served()?.release.snapshot.count);
  gauge("rollcall_snapshot_age_seconds", "How long ago the release that is served was built.", () => {
    const release = served()?.release;
    const built = release && builtAt(release);
    return built && (now().getTime() - built.getTime()) / 1000;
  });
  new Gauge({
    ...{ name: "rollcall_snapshot_info", help: "The id of the release that is served.", registers },
    labelNames: ["id"],
    collect() {
      this.reset();
      const release = served()?.release;
      if (release) this.set({ id: release.snapshot.id }, 1);
    },
  });
  return registry;
}

/** Undefined for a release whose folder has another name than a build gives. */
export function builtAt({ folder }: ServedRelease): Date | undefined {
  return parseFolderName(basename(folder))?.time;
}
