/** Which columns the table can show, and which it shows first, for contracts of other domains. */
import { expect, test } from "vitest";
import { contractOf } from "../../../src/core/contract/contract.js";
import { USERS_CONTRACT } from "../../../src/core/contract/users.js";
import { allColumns, chosenColumns, shownColumns } from "../../../src/explorer/page/columns.js";
import { contractWith } from "../../support/contracts.js";
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
    ["date_joined", "display_name", "id", "kyc_status", "off_chain.created_at", "off_chain.last_withdrawn_at"],
  ],
  [
    "users of one kind",
    USERS_CONTRACT,
    [one("kyc_status")],
    ["bio", "date_joined", "display_name", "id", "off_chain.created_at", "off_chain.last_withdrawn_at"],
  ],
  [
    "stations",
    stations,
    [two("country"), two("is_active")],
    ["code", "name", "country", "opened", "closed", "is_active"],
  ],
  ["art", art, [two("état")], ["constructor", "year", 'sa"id', "also known as", "first", "état"]],
  ["words", mots, [two("usage"), two("genre")], ["mot", "sorte", "usage", "genre", "rang", "vu"]],
  ["a contract that names them", named, [two("country")], ["opened", "position.latitude", "sensors", "name"]],
] as const)("of %s: those that say most, in the order of the contract", (_, contract, facets, expected) => {
  const known = { contract: contract ?? USERS_CONTRACT, summary: { facets } };
  expect(shownColumns(known, []).map(({ path }) => path)).toEqual(expected);
  // Every field can be chosen.
  const all = allColumns(known).map(({ path }) => path);
  expect(all.toSorted()).toEqual(known.contract.fields.map(({ path }) => path).toSorted());
});

test("stand in the order of the contract file, C2 before C10, after those that it names", () => {
  const names = Array.from({ length: 12 }, (_, at) => `C${at + 1}`);
  const properties = Object.fromEntries(names.map((name) => [name, { type: "string" } as const]));
  const listing = { path: "/t/", key: "C1", columns: ["C12", "C2"] };
  const contract = contractOf(contractWith(["thing", "things"], properties, listing));
  const known = { contract, summary: { facets: [] } };
  const rest = names.filter((name) => name !== "C12" && name !== "C2");
  expect(allColumns(known).map(({ path }) => path)).toEqual(["C12", "C2", ...rest]);
  expect(shownColumns(known, ["C10", "C9", "C12"]).map(({ path }) => path)).toEqual(["C12", "C9", "C10"]);
});

test("shows chosen columns in the contract's order, and forgets a choice that is the usual one", () => {
  const known = { contract: USERS_CONTRACT, summary: { facets: [two("kyc_status")] } };
  const choose = (...paths: string[]) => chosenColumns(known, paths);
  expect(choose("id", "no such field", "bio")).toEqual(["bio", "id"]);
  expect(choose("no such field")).toEqual([]);
  const usual = shownColumns(known, []).map(({ path }) => path);
  expect(choose(...usual.toReversed())).toEqual([]);
  expect(choose(...usual.slice(1))).toEqual(usual.slice(1));
});
