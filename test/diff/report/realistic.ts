/** Realistic diffs, whose reports are in expected/. */
import type { Diff } from "../../../src/core/compare/change.js";
import type { User } from "../../../src/core/contract/users.js";
import { added, changed, diffOf, longDiff, person, removed } from "../../support/diffs.js";
import { hostileDiff, otherContractDiff, otherKeyDiff, partsDiff, twoFacetsDiff } from "./foreign.js";

const MEMOIR = [
  "Born in Lübeck, raised between two harbours and a library that smelled of tar.",
  "I repair clocks, mostly the ones that nobody else will touch, and write down where each of them has been.",
  "Open to swaps, visits and very long letters. No phone calls before noon, please.",
].join(" ");

const HARD: readonly (readonly [Partial<User>, Partial<User>])[] = [
  [{ bio: "" }, { bio: 'Says "hi",\n\tthen leaves.\\' }],
  [{ bio: MEMOIR }, { bio: MEMOIR.replace("library that", "bakery which") }],
  [{ bio: MEMOIR }, { bio: `${MEMOIR.replace("Born", "Grew up")} P.S. @everyone see #12` }],
  [{ display_name: "Zoe\u0301 Lund" }, { display_name: "Zo\u00e9 Lund" }],
  [{ display_name: "דנה כהן" }, { display_name: "דנה לוי" }],
  [{ display_name: "user\u202Etxt.exe" }, { display_name: "\x1b[2J" }],
  [{ bio: "x | y | `z`" }, { bio: "x | y \\| ``z``" }],
  [{ bio: "<img src=x onerror=alert(1)>" }, { bio: "</td></table> ![x](https://evil.example/p.png)" }],
  [{ circles: [] }, { circles: [{ name: "a|b", members: Array.from({ length: 40 }, (_, at) => at) }] }],
  [{ languages: ["DE", "EN"] }, { languages: ["DE", "EN", "PT-BR"] }],
];

/** Every diff that has an expected text and Markdown. */
export const REALISTIC: Readonly<Record<string, Diff>> = {
  "no-changes": diffOf([], { unchanged: 1000 }),
  empty: diffOf([]),
  "other-settings": diffOf([], {
    unchanged: 1,
    old: { name: "before/current", baseUrl: "http://127.0.0.1:8080", pageSize: 100 },
    new: { name: "users.sqlite", id: undefined, pageSize: 50, links: "path" },
  }),
  hard: diffOf(
    HARD.map(([old, now], number) => changed(person(number, old), person(number, now))),
    { unchanged: 90 },
  ),
  "every-kind": everyKind(),
  "two-facets": twoFacetsDiff(),
  parts: partsDiff(),
  hostile: hostileDiff(),
  "other-contract": otherContractDiff(),
  "other-key": otherKeyDiff(),
  "hundred-thousand": longDiff(100_000, (number) => {
    const user = person(number, { bio: MEMOIR });
    const { off_chain: offChain } = user;
    const later = {
      ...offChain,
      tokens: offChain.tokens + 2,
      last_withdrawn_at: "2026-11-21T03:00:00.000000Z",
    };
    return changed(user, { ...user, kyc_status: "VERIFIED", referrals_count: number, off_chain: later });
  }),
};

function everyKind(): Diff {
  const statuses = ["PENDING", "PENDING", "NONE", "CONFIRMED"] as const;
  const changes = Array.from({ length: 22 }, (_, number) => {
    const kyc_status = statuses[number % 4] ?? "NONE";
    return changed(person(100 + number, { kyc_status }), person(100 + number, { kyc_status: "VERIFIED" }));
  });
  const noName = person(3, { display_name: person(3).id, username: person(3).id, kyc_status: "NONE" });
  return diffOf(
    [
      added(person(1)),
      added(person(2, { display_name: "李小龍", kyc_status: "NEED_P2P_VERIFICATION" })),
      added(noName),
      removed(person(4, { display_name: "", username: "gone" })),
      ...changes,
    ],
    { unchanged: 12_345 },
  );
}
