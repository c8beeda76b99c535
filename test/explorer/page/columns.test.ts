/** Which columns the table can show, and which it shows first, for contracts of other domains. */
import { expect, test } from "vitest";
import { contractOf } from "../../../src/core/contract/contract.js";
import { USERS_CONTRACT } from "../../../src/core/contract/users.js";
import { allColumns, chosenColumns, shownColumns } from "../../../src/explorer/page/columns.js";
import { FOREIGN } from "../../support/foreign.js";
import { STATIONS } from "../../support/stations.js";

const [art, mots, stations] = FOREIGN.map(({ contract }) => contractOf(contract));
const named = contractOf({
  ...STATIONS,
  "x-listing": { ...STATIONS["x-listing"], columns: ["opened", "position.latitude", "sensors", "name"] },
});
/** A facet that tells records apart, and one that does not. */
const two = (path: string) => ({ path, names: [path], values: [{ value: 1, count: 1 }], more: 1 });
const one = (path: string) => ({ ...two(path), more: 0 });

test.each([
  [
    "users",
    USERS_CONTRACT,
    [two("kyc_status")],
    [
      ...["display_name", "id", "kyc_status", "date_joined", "off_chain.created_at", "off_chain.last_withdrawn_at"],
      ...["bio", "country", "current_location", "default_wallet", "first_name", "last_name"],
    ],
  ],
  [
    "users of one kind",
    USERS_CONTRACT,
    [one("kyc_status")],
    [
      ...["display_name", "id", "date_joined", "off_chain.created_at", "off_chain.last_withdrawn_at", "bio"],
      ...["country", "current_location", "default_wallet", "first_name", "last_name", "off_chain.mining_events"],
    ],
  ],
  [
    "stations",
    stations,
    [two("country"), two("is_active")],
    [
      ...["name", "code", "country", "is_active", "opened", "closed"],
      ...["nickname", "position.latitude", "position.longitude", "readings"],
    ],
  ],
  [
    "art",
    art,
    [two("état")],
    [
      ...['sa"id', "constructor", "état", "year", "also known as", "first", "last", "by/whom"],
      ...["the größe.höhe in cm", "the größe.🖼.'", "<b>&amp;|`*_"],
    ],
  ],
  ["words", mots, [two("usage"), two("genre")], ["mot", "genre", "usage", "vu", "sorte", "rang"]],
  ["a contract that names them", named, [two("country")], ["opened", "position.latitude", "sensors", "name"]],
] as const)("of %s", (_, contract, facets, expected) => {
  const known = { contract: contract ?? USERS_CONTRACT, summary: { facets } };
  const all = allColumns(known).map(({ path }) => path);
  expect(all.slice(0, expected.length)).toEqual(expected);
  // Every field can be chosen.
  expect(all.toSorted()).toEqual(known.contract.fields.map(({ path }) => path).toSorted());
  const most = known.contract.listing.columns?.length ?? 6;
  expect(shownColumns(known, []).map(({ path }) => path)).toEqual(all.slice(0, most));
});

test("shows chosen columns in the usual order, and forgets a choice that is the usual one", () => {
  const known = { contract: USERS_CONTRACT, summary: { facets: [two("kyc_status")] } };
  const choose = (...paths: string[]) => chosenColumns(known, paths);
  expect(choose("bio", "no such field", "id")).toEqual(["id", "bio"]);
  expect(choose("no such field")).toEqual([]);
  const usual = shownColumns(known, []).map(({ path }) => path);
  expect(choose(...usual.toReversed())).toEqual([]);
  expect(choose(...usual.slice(1))).toEqual(usual.slice(1));
});
