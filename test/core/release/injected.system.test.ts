/** Fails a fixed list of system calls, or kills the process there: the current release stays intact, and the next run succeeds. */
import { describe, expect, test } from "vitest";
import { needs } from "../../support/needs.js";
import type { Call, Fault } from "../../support/strace.js";
import { inject, SCENARIOS } from "./injected.js";

const KINDS: readonly RegExp[] = [/^p?write/, /^f(?:data)?sync$/, /^(?:sym)?link/, /^rename/, /^(?:unlink|rmdir)/];

/** The first call of each kind, the one in the middle and the last. */
function choose(calls: readonly Call[]): [Fault, Call][] {
  return KINDS.flatMap((kind) => {
    const own = calls.filter(({ name }) => kind.test(name));
    const [first, middle, last] = [own.at(0), own.at(own.length >> 1), own.at(-1)];
    if (!first || !middle || !last) return [];
    const faults: [Fault, Call][] = [
      ["error=ENOSPC", first],
      ["signal=SIGKILL", middle],
      ["error=EIO", last],
    ];
    return own.length === 1 ? faults.slice(0, 2) : faults;
  });
}

describe.runIf(needs("strace"))("faults at a fixed list of system calls", () => {
  test.each(Object.entries(SCENARIOS))("%s", { timeout: 300_000 }, async (_, scenario) => {
    let chosen = 0;
    const hits = await inject(scenario, (calls) => {
      const faults = choose(calls);
      chosen = faults.length;
      return faults;
    });
    expect(chosen).toBeGreaterThan(8);
    expect(hits).toBe(chosen);
  });
});
