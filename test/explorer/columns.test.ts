/** Which columns the table shows, for contracts of other domains. */
import { expect, test } from "vitest";
import { contractOf, USERS_CONTRACT } from "../../src/contract/contract.js";
import { columnsOf } from "../../src/explorer/page/list.js";
import { FOREIGN } from "../support/foreign.js";
import { STATIONS } from "../support/stations.js";

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
  const paths = columnsOf(contract ?? USERS_CONTRACT, { facets }).map(({ path }) => path);
  expect(paths).toEqual(expected);
});
