/** Records that the pattern matches are valid and canonical. */
import fc from "fast-check";
import stringify from "fast-json-stable-stringify";
import { expect, test } from "vitest";
import { USERS_CONTRACT } from "../../src/contract/contract.js";
import { recordPattern } from "../../src/contract/record/byte-pattern.js";
import { draws } from "../support/random.js";
import { anyUser, checkUser } from "../support/users.js";

const pattern = recordPattern(USERS_CONTRACT, "https://example.com/avatar.svg");
const takes = (text: string) => pattern.takes(Buffer.from(text).toString("latin1"), 1);

/** A user without warnings, whom the pattern may match. */
const plain = anyUser.map((user) => ({
  ...user,
  circles: [],
  image_url: "https://example.com/avatar.svg",
  off_chain: {
    ...user.off_chain,
    mining_events: user.off_chain.mining_events % 1e15,
    pending_events: user.off_chain.pending_events % 1e15,
    tokens: user.off_chain.tokens % 1e15,
    withdrawn_events: user.off_chain.withdrawn_events % 1e15,
    liveness_tier: "normal",
    liveness_config: { min_blinks: 1, require_head_movement: false, required_samples: 2, warmup_duration: 2 },
  },
  referrals_count: user.referrals_count % 1e15,
  wac_status: 0,
}));

test("the pattern accepts every plain user, whatever characters it has", () => {
  fc.assert(
    fc.property(plain, (user) => {
      expect(takes(JSON.stringify(user))).toBe(true);
    }),
    { numRuns: draws(500) },
  );
});

/** Edits that change a text a little, or only its spelling. */
const edit = fc.oneof(
  fc.tuple(
    fc.nat(),
    fc.constantFrom(
      " ",
      "\t",
      "\n",
      "\u0000",
      "\\",
      '"',
      "0",
      "\\u0041",
      "\\/",
      "\\u001F",
      "\\u0008",
      "\\n",
      "\\ud800",
      "é",
    ),
  ),
  fc.tuple(fc.nat(), fc.constant("")),
);

test("an edited text that the pattern accepts is valid and canonical", () => {
  let taken = 0;
  fc.assert(
    fc.property(plain, edit, fc.nat({ max: 3 }), (user, [where, insert], cut) => {
      const text = JSON.stringify(user);
      const at = where % text.length;
      // An edit may split a surrogate pair, which bytes cannot hold.
      const edited = Buffer.from(text.slice(0, at) + insert + text.slice(at + cut)).toString("utf8");
      if (!takes(edited)) return;
      taken++;
      expect(checkUser(JSON.parse(edited))).toEqual([]);
      expect(stringify(JSON.parse(edited))).toBe(edited);
    }),
    { numRuns: draws(3000) },
  );
  expect(taken).toBeGreaterThan(0);
});
