/** docs/operating.md: what it gives Prometheus is what Prometheus takes, and names only what is there. */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { scratch } from "../support/files.js";
import { isMissing } from "../support/installed.js";

const DOC = readFileSync(new URL("../../docs/operating.md", import.meta.url), "utf8");
const METRICS = readFileSync(new URL("../../src/server/admin/metrics.ts", import.meta.url), "utf8");

describe.skipIf(isMissing("promtool"))("promtool", () => {
  test("takes the configuration, and the rules that it names", () => {
    const folder = scratch();
    const files = [...DOC.matchAll(/^```yaml (\S+)\n([\s\S]*?)^```$/gm)];
    expect(files.map(([, name]) => name)).toEqual(["prometheus.yml", "rollcall.rules.yml"]);
    for (const [, name = "", text = ""] of files) writeFileSync(join(folder, name), text);
    const said = execFileSync("promtool", ["check", "config", "--lint-fatal", join(folder, "prometheus.yml")], {
      encoding: "utf8",
    });
    expect(said).toContain("SUCCESS: 5 rules found");
  });
});

test("it names each metric, and no other", () => {
  const named = new Set(DOC.match(/\brollcall_[a-z_]+\b/g));
  expect([...named].sort()).toEqual([...new Set(METRICS.match(/\brollcall_[a-z_]+\b/g))].sort());
});
