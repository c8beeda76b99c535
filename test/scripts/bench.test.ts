/** The benchmark's own parts: sources that are copies, and verdicts. That the whole of it runs, CI sees by `--quick`. */
import { expect, test } from "vitest";
import { type Findings, toMarkdown, toText } from "../../scripts/bench/report.js";
import { Sources } from "../../scripts/bench/sources.js";
import { USERS_CONTRACT } from "../../src/contract/contract.js";
import { recordCheck } from "../../src/contract/record/schema.js";
import { fieldObserver, type WarningCounts } from "../../src/contract/record/warnings.js";
import type { User } from "../../src/contract/users.js";
import { openSource } from "../../src/source/open.js";
import { scratch } from "../support/files.js";

test("a source larger than the sample has as many valid users, and copies far apart", () => {
  const said: string[] = [];
  const sources = new Sources(scratch(), (line) => said.push(line), 500);
  const db = sources.take(1_250);
  expect(sources.take(1_250)).toBe(db);
  expect(said).toEqual(["making 500 users", "making 1,250 users"]);
  const source = openSource({ db, contract: USERS_CONTRACT, defaultAvatar: "https://media.example.com/default.png" });
  const warnings: WarningCounts = {};
  const candidates = [...source.candidates()];
  source.close();
  const [check, observe] = [recordCheck(USERS_CONTRACT), fieldObserver(USERS_CONTRACT)];
  expect(candidates.flatMap(({ record, unmet }) => [...check(record), ...unmet])).toEqual([]);
  const users = candidates.map(({ record }) => record as User);
  for (const user of users) observe(user, warnings);
  expect(users).toHaveLength(1_250);
  expect(warnings).toEqual({});
  expect(new Set(users.map(({ id }) => id)).size).toBe(1_250);
  // A copy is 100 days before its original, and these are the first 20 users of some 1,800 days.
  const people = users.slice(0, 20).map(({ id }) => id.slice(1));
  expect(new Set(people).size).toBe(20);
});

test("no source is larger than there are copies to tell apart", () => {
  expect(() => new Sources(scratch(), () => {}, 10).take(161)).toThrow("at most 160 users");
});

const findings: Findings = {
  tables: [{ title: "Building", head: ["program", "seconds"], rows: [["C program", "0.54"]] }],
  verdicts: [
    { what: "faster", atLeast: 4, measured: 4 },
    { what: "slower", atMost: 0.6, measured: 0.61 },
    { what: "beside nginx", atLeast: 0.9, measured: Number.NaN },
  ],
  missing: ["nginx: install it"],
  figures: undefined,
};

test("verdicts say what was asked, what was measured, and whether that is enough", () => {
  expect(toMarkdown(findings, true)).toBe(`### Building

| program | seconds |
| --- | ---: |
| C program | 0.54 |

### Targets

|  | target | measured |  |
| --- | ---: | ---: | ---: |
| faster | at least 4.00 | 4.00 | met |
| slower | at most 0.60 | 0.61 | missed |
| beside nginx | at least 0.90 | - | not measured |

Not measured, or not to the end:

- nginx: install it
`);
});

test("a quick run is not judged", () => {
  for (const print of [toText, toMarkdown]) {
    expect(print(findings, false)).toContain("C program");
    expect(print(findings, false)).not.toContain("met");
  }
});
