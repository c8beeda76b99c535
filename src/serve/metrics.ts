/** The Prometheus counters of a server. */
import { Counter, Registry } from "prom-client";
import { ENCODINGS } from "../core/contract/headers.js";
import type { AnswerKind, CountedEvent, Counts } from "./counts.js";

const EVENTS: Readonly<Record<CountedEvent, readonly [name: string, help: string]>> = {
  cacheHits: ["rollcall_cache_hits_total", "Pages and small files that were answered from memory."],
  cacheReads: ["rollcall_cache_reads_total", "Pages and small files that were read from the disk."],
  damaged: ["rollcall_damaged_reads_total", "Reads of files whose bytes are not those of their digests."],
  switches: ["rollcall_switches_total", "Releases that were taken up since the start."],
  refused: ["rollcall_refused_releases_total", "Releases that could not be taken up."],
  unlogged: ["rollcall_access_log_dropped_total", "Lines of the access log that its reader was too slow for."],
};

const REQUESTS = ["rollcall_requests_total", "Requests that were answered, or whose client left before."] as const;
const BYTES = ["rollcall_response_body_bytes_total", "Bytes of the bodies of all answers."] as const;

const KINDS: (keyof AnswerKind)[] = ["status", "encoding"];

/** Counts for Prometheus. */
export class ServerCounts implements Counts {
  readonly registry = new Registry();
  readonly #events = new Map<string, Counter>();
  readonly #requests = this.#create(REQUESTS, KINDS);
  readonly #bytes = this.#create(BYTES, KINDS);

  constructor() {
    for (const [event, words] of Object.entries(EVENTS)) this.#events.set(event, this.#create(words, []));
    // Create all label combinations with 0: Prometheus needs a first value to compute rates.
    for (const status of ["2xx", "3xx", "4xx", "5xx"])
      for (const encoding of ["identity", ...Object.keys(ENCODINGS)]) {
        this.#requests.inc({ status, encoding }, 0);
        this.#bytes.inc({ status, encoding }, 0);
      }
  }

  answer(kind: AnswerKind, bytes: number): void {
    this.#requests.inc(kind);
    this.#bytes.inc(kind, bytes);
  }

  add(event: CountedEvent): void {
    this.#events.get(event)?.inc();
  }

  #create([name, help]: readonly [name: string, help: string], labelNames: string[]): Counter {
    return new Counter({ name, help, labelNames, registers: [this.registry] });
  }
}
