/** Which fields the table shows, of contracts that nobody made for it. */
import { expect, test } from "vitest";
import { contractOf, USERS_CONTRACT } from "../../src/contract/contract.js";
import { columnsOf } from "../../src/explorer/page/list.js";
import { FOREIGN } from "../support/foreign.js";

const [art, mots, stations] = FOREIGN.map(({ contract }) => contractOf(contract));
/** A facet that tells records apart, and one that does not. */
const two = (path: string) => ({ path, names: [path], values: [{ value: 1, count: 1 }], more: 1 });
const one = (path: string) => ({ ...two(path), more: 0 });

test.each([
  ["users", USERS_CONTRACT, [two("kyc_status")], ["date_joined", "kyc_status", "country", "current_location"]],
  [
    "users of one kind",
    USERS_CONTRACT,
    [one("kyc_status")],
    ["date_joined", "country", "current_location", "off_chain.mining_events"],
  ],
  ["stations", stations, [two("country"), two("is_active")], ["opened", "country", "is_active", "readings"]],
  ["art", art, [two("état")], ["état", "the größe.höhe in cm", "year"]],
  ["words", mots, [two("usage"), two("genre")], ["genre", "usage"]],
] as const)("of %s", (_, contract, facets, expected) => {
  const paths = columnsOf(contract ?? USERS_CONTRACT, { facets }).map(({ path }) => path);
  expect(paths).toEqual(expected);
});
