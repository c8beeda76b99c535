/** Fails a fixed list of system calls, or kills the process there: the current release stays intact, and the next run succeeds. */
import { describe, expect, test } from "vitest";
import { needs } from "../../support/needs.js";
import type { Call, Fault } from "../../support/strace.js";
import { inject, SCENARIOS } from "./injected.js";

const KINDS: readonly RegExp[] = [/^p?write/, /^f(?:data)?sync$/, /^(?:sym)?link/, /^rename/, /^(?:unlink|rmdir)/];

/** Of each kind, the call in the middle, and in turns the first or the last. */
function choose(calls: readonly Call[]): [Fault, Call][] {
  return KINDS.flatMap((kind, at) => {
    const own = calls.filter(({ name }) => kind.test(name));
    const [first, middle, last] = [own.at(0), own.at(own.length >> 1), own.at(-1)];
    if (!first || !middle || !last) return [];
    return [["signal=SIGKILL", middle], at % 2 === 0 ? ["error=ENOSPC", first] : ["error=EIO", last]];
  });
}

describe.runIf(needs("strace"))("faults at a fixed list of system calls", () => {
  // The first mirror writes as later ones do: the night has it.
  const scenarios = Object.entries(SCENARIOS).filter(([name]) => name !== "first mirror");

  test.each(scenarios)("%s", { timeout: 300_000 }, async (_, scenario) => {
    let chosen = 0;
    const hits = await inject(scenario, (calls) => {
      const faults = choose(calls);
      chosen = faults.length;
      return faults;
    });
    expect(chosen).toBeGreaterThan(5);
    expect(hits).toBe(chosen);
  });
});
