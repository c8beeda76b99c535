/** Reading a hostile host always ends with a normal exit code, in bounded memory. */
import { describe, expect, test } from "vitest";
import { start } from "../support/command.js";
import { scratch } from "../support/files.js";
import { front } from "../support/front.js";
import { SEED } from "../support/random.js";
import { releaseOf } from "../support/served.js";
import { lie } from "./hostile-host.js";

const CASES = 12;

/** Reports the peak memory of a process at its end. */
const MEASURE = `process.on("exit", () => process._rawDebug("peak", process.resourceUsage().maxRSS))`;
const NODE_OPTIONS = `--max-old-space-size=384 --import=data:text/javascript,${encodeURIComponent(MEASURE)}`;
/** In kilobytes: eight bodies of 64 MiB may come at once, and one is put together or decoded meanwhile. */
const MOST_MEMORY = 1_000_000;

const RAW = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}]/u;

describe.each(["verify", "diff"])("%s of a hostile host", (verb) => {
  test.each(Array.from({ length: CASES }, (_, at) => SEED + at))("seed %i", { timeout: 300_000 }, async (seed) => {
    const one = await front({ count: 5, encodings: ["br", "gzip"] });
    lie(one, seed);
    const args = verb === "verify" ? ["--against", "none"] : [releaseOf(one.host).folder];
    const env = { ...process.env, NODE_OPTIONS };
    const { ended } = start([verb, one.baseUrl, ...args, "--dist", one.dist], { cwd: scratch(), env });
    const { code, stdout, stderr } = await ended;
    const peaks = [...stderr.matchAll(/^peak (\d+)$/gm)].map(([, peak]) => Number(peak));
    expect({ seed, code, stderr: stderr.slice(0, 2000) }).toMatchObject({
      code: expect.toBeOneOf([0, 1, 2]),
    });
    expect(`${stdout}${stderr}`).not.toMatch(/Bug in Rollcall|^ +at .*:\d+:\d+/m);
    expect(`${stdout}${stderr}`.replaceAll("\n", " ")).not.toMatch(RAW);
    expect(Math.max(...peaks)).toBeLessThan(MOST_MEMORY);
  });
});
