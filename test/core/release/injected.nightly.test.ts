/** Fails each system call that changes a file, and kills the process there; also for a random choice of those that read. */
import { describe, expect, test } from "vitest";
import { needs } from "../../support/needs.js";
import { draws, seeded } from "../../support/random.js";
import type { Call, Fault } from "../../support/strace.js";
import { inject, SCENARIOS } from "./injected.js";

const READS = /^(?:access|openat|statx|readlink|getdents64|p?read(?:64)?)$/;
const READS_DRAWN = draws(50);
const ERRORS = ["EIO", "ENOSPC", "EACCES"];

/** All changes, or the share of them that ROLLCALL_TEST_DRAWS is. */
function choose(calls: readonly Call[]): Call[] {
  const random = seeded();
  const [reads, changes] = [true, false].map((isRead) => calls.filter(({ name }) => READS.test(name) === isRead));
  const share = draws(1000) / 1000;
  return [
    ...(changes ?? []).filter(() => random.next() < share),
    ...Array.from({ length: reads?.length ? READS_DRAWN : 0 }, () => random.of(reads ?? [])),
  ];
}

const FAULTS: Record<string, (at: number) => Fault> = {
  "an error": (at) => `error=${ERRORS[at % ERRORS.length]}`,
  "a kill": () => "signal=SIGKILL",
};

describe.runIf(needs("strace"))("a fault at every system call", () => {
  describe.each(Object.entries(SCENARIOS))("%s", (_, scenario) => {
    test.each(Object.entries(FAULTS))("%s", { timeout: 20_000_000 }, async (_, fault) => {
      let chosen = 0;
      const hits = await inject(scenario, (calls) => {
        const faults = choose(calls).map((call, at) => [fault(at), call] as const);
        chosen = faults.length;
        return faults;
      });
      process.stdout.write(`${hits} of ${chosen} calls went wrong.\n`);
      expect(hits).toBeGreaterThan(chosen / 2);
    });
  });
});
